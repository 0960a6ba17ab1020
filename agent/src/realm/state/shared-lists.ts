type Node<T> = {
  /** One item shorter; undefined for the empty list. */
  readonly before: Node<T> | undefined;
  readonly item: T | undefined;
  next: Map<T, Node<T>> | undefined;
  items: readonly T[] | undefined;
};

/**
 * What each reference belongs to, in the order in which it was added. References that belong to the same things
 * share one list, the very same object: thousands of objects under one downtime cost one list, and what is worked
 * out for a list can be kept by it.
 */
export class SharedLists<T> {
  readonly #empty: Node<T> = { before: undefined, item: undefined, next: undefined, items: [] };
  readonly #nodes = new Map<string, Node<T>>();

  add(ref: string, item: T): void {
    const node = this.#nodes.get(ref) ?? this.#empty;
    node.next ??= new Map();
    let next = node.next.get(item);
    if (next === undefined) {
      next = { before: node, item, next: undefined, items: undefined };
      node.next.set(item, next);
    }
    this.#nodes.set(ref, next);
  }

  of(ref: string): readonly T[] {
    const node = this.#nodes.get(ref) ?? this.#empty;
    node.items ??= itemsOf(node);
    return node.items;
  }
}

/** Lists are long only where they are asked for: what is on the way to them costs a node each. */
function itemsOf<T>(node: Node<T>): readonly T[] {
  const items: T[] = [];
  for (let at = node; at.before !== undefined; at = at.before) items.push(at.item as T);
  return items.reverse();
}
