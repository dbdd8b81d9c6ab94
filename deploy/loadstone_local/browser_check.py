"""The browser test on a live stack of its own."""

import subprocess
import sys

from loadstone_local.console import StepFailed, say
from loadstone_local.packages import find_program
from loadstone_local.paths import FRONTEND, REPOSITORY
from loadstone_local.scratch_stack import scratch_stack

SCREENSHOTS = REPOSITORY / ".loadstone/screenshots"


def main(arguments: list[str]) -> int:
    try:
        with scratch_stack("up") as stack:
            node = str(find_program("node"))
            seen = ["--url", stack.url, "--credentials", str(stack.demo_file), "--screenshots", str(SCREENSHOTS)]
            # The first run needs a stack that is still empty.
            first = [node, "e2e/run.mjs", *seen, *arguments]
            for command in (first, [node, "e2e/uses.mjs", *seen], [node, "e2e/studies.mjs", *seen]):
                code = subprocess.run(command, cwd=FRONTEND, env=stack.environment).returncode
                if code != 0:
                    stack.show_logs()
                    return code
            return 0
    except StepFailed as error:
        say(f"error: {error}")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
