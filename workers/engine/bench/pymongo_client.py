"""Finds by `_id`, one after another, through MongoDB's own driver: `pymongo_client.py URL OPERATIONS KEYS`."""

import random
import sys

from pymongo import MongoClient


def main() -> None:
    url, operations, keys = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    collection = MongoClient(url)["test"]["loadstone"]
    for _ in range(operations):
        collection.find_one({"_id": f"k{random.randrange(keys):015d}"})


if __name__ == "__main__":
    main()
