"""``python -m fairness_checklist``: the command line."""

from fairness_checklist.cli import main

if __name__ == "__main__":
    main()
