"""`python -m kata VERB`. An older Python gets as far as finding a newer one."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - that is what this file is for
    from kata.find_python import run_with_newer_python

    sys.exit(run_with_newer_python(sys.argv[1:]))

from kata.cli import main

sys.exit(main())
