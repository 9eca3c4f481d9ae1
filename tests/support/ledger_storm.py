"""Run as a program: many processes that spend from one ledger at once, each with its own connection.

    python -m support.ledger_storm '{"where": {...}, "processes": 8, "spends": 20, "account": "storm"}'

Each prints a line of JSON: the levels it was granted, and those it was refused.
"""

import hashlib
import json
import os
import sys

from dprivacy.errors import BudgetExceeded
from dprivacy.mechanisms import randomised_response
from dprivacy.release import Ledger

LEVELS = ["ln 2", "1/3", "ln 3", "1/7"]
MECHANISMS = {eps: randomised_response(["a", "b", "c"], eps=eps) for eps in LEVELS}


def spend(told, me):
    """One process: spend again and again, each time for an output, and say what was granted."""
    granted, refused = [], []
    with Ledger(**told["where"]) as ledger:
        for k in range(told["spends"]):
            eps = LEVELS[(k + me) % len(LEVELS)]
            try:
                receipt = ledger.spend({"h": MECHANISMS[eps]}, account=told["account"])
                ledger.settle(receipt, hashlib.sha256(receipt.head.encode()).hexdigest())
                granted.append(eps)
            except BudgetExceeded:
                refused.append(eps)
    return {"granted": granted, "refused": refused}


def main():
    told = json.loads(sys.argv[1])
    children = []
    for me in range(told["processes"]):
        child = os.fork()
        if not child:
            code = 1
            try:
                line = json.dumps(spend(told, me)) + "\n"
                os.write(1, line.encode())  # one call: lines of several processes do not mix
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    sys.exit(max(os.waitpid(child, 0)[1] for child in children) and 1)


if __name__ == "__main__":
    main()
