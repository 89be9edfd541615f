"""The command line: `app` has the verbs, each other module the verbs or options of one kind."""
