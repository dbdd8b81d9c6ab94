"""Finds or upserts by `_id`, one after another, through MongoDB's own driver.

`pymongo_client.py URL get|set OPERATIONS KEYS VALUE_BYTES`
"""

import random
import sys

from pymongo import MongoClient


def main() -> None:
    url, operation = sys.argv[1:3]
    operations, keys, value_bytes = map(int, sys.argv[3:])
    value = b"x" * value_bytes
    with MongoClient[dict[str, object]](url) as client:
        collection = client["test"]["loadstone"]
        for _ in range(operations):
            key = f"k{random.randrange(keys):015d}"
            if operation == "get":
                collection.find_one({"_id": key})
            else:
                collection.replace_one({"_id": key}, {"_id": key, "v": value}, upsert=True)


if __name__ == "__main__":
    main()
