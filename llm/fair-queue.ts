/** First come, first served inside a role, and round-robin between roles, so that no role starves another. */
export class FairQueue<T extends object> {
  readonly #byRole = new Map<string, Set<T>>();
  #turns: string[] = [];

  get size(): number {
    let size = 0;
    for (const waiting of this.#byRole.values()) size += waiting.size;
    return size;
  }

  push(role: string, item: T): void {
    const waiting = this.#byRole.get(role);
    if (waiting === undefined) {
      this.#byRole.set(role, new Set([item]));
      this.#turns.push(role);
    } else waiting.add(item);
  }

  /** The next item in turn, left where it is. */
  peek(): T | undefined {
    for (const role of this.#turns) {
      const first = this.#byRole.get(role)?.values().next();
      if (first?.done === false) return first.value;
    }
    return undefined;
  }

  shift(): T | undefined {
    for (const [index, role] of this.#turns.entries()) {
      const waiting = this.#byRole.get(role);
      const first = waiting?.values().next();
      if (first?.done !== false) continue;
      waiting?.delete(first.value);
      this.#turns = [...this.#turns.slice(index + 1), ...this.#turns.slice(0, index + 1)];
      return first.value;
    }
    return undefined;
  }

  remove(role: string, item: T): boolean {
    return this.#byRole.get(role)?.delete(item) ?? false;
  }
}
