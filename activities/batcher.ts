/** Collects single look-ups for a moment and answers them with one batched query (one query per chunk, never one per call). */
export function createBatcher<Key, Value>(
  fetch: (keys: readonly Key[]) => Promise<readonly (Value | null)[]>,
  lingerMs = 2,
): (key: Key) => Promise<Value | null> {
  let waiting: { readonly key: Key; readonly resolve: (value: Value | null) => void; readonly reject: (error: unknown) => void }[] = [];
  const flush = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    try {
      const values = await fetch(batch.map((entry) => entry.key));
      batch.forEach((entry, index) => {
        entry.resolve(values[index] ?? null);
      });
    } catch (error) {
      for (const entry of batch) entry.reject(error);
    }
  };
  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (waiting.length === 1) setTimeout(() => void flush(), lingerMs);
    });
}
