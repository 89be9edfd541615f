"""``python -m fairness_checklist``: the command line."""

from fairness_checklist.cli.app import main

if __name__ == "__main__":
    main()
