"""Near-duplicate clusters by rensa and by datasketch on the texts of a JSON file: seconds (tokenising included) and pairs found."""

import json
import re
import sys
import time

WORD = re.compile(r"\w+(?:'\w+)*")
THRESHOLD, SLOTS = 0.8, 128


def shingles(text: str) -> list[str]:
    """Distinct 5-word shingles, as the RULES have them."""
    words = WORD.findall(text.lower())
    return list({" ".join(words[i : i + 5]) for i in range(max(1, len(words) - 4))})


def by_rensa(texts: list[str]) -> list[tuple[int, int]]:
    from rensa import RMinHash, RMinHashLSH

    index, signatures = RMinHashLSH(threshold=THRESHOLD, num_perm=SLOTS, num_bands=32), []
    pairs = []
    for number, text in enumerate(texts):
        signature = RMinHash(num_perm=SLOTS, seed=42)
        signature.update(shingles(text))
        signatures.append(signature)
        pairs += [(other, number) for other in index.query(signature) if signature.jaccard(signatures[other]) >= THRESHOLD]
        index.insert(number, signature)
    return pairs


def by_datasketch(texts: list[str]) -> list[tuple[int, int]]:
    from datasketch import MinHash, MinHashLSH

    index, pairs = MinHashLSH(threshold=THRESHOLD, num_perm=SLOTS), []
    for number, text in enumerate(texts):
        signature = MinHash(num_perm=SLOTS)
        signature.update_batch([part.encode() for part in shingles(text)])
        pairs += [(other, number) for other in index.query(signature)]
        index.insert(number, signature)
    return pairs


if __name__ == "__main__":
    docs = json.load(open(sys.argv[1], encoding="utf-8"))
    run = {"rensa": by_rensa, "datasketch": by_datasketch}[sys.argv[2]]
    began = time.process_time()
    found = run(docs)
    print(json.dumps({"seconds": time.process_time() - began, "pairs": found}))
