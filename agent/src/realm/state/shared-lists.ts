type Node<T> = {
  /** The list without its last item; undefined for the empty list. */
  readonly before: Node<T> | undefined;
  readonly item: T | undefined;
  next: Map<T, Node<T>> | undefined;
  items: readonly T[] | undefined;
};

/**
 * Lists of items by reference, in order of addition. References with the same items share one array instance, so that
 * thousands of objects under one downtime cost one array, and results can be cached by array.
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

/** Builds the array of a node. Arrays exist only for lists that were read; every prefix of them costs one node. */
function itemsOf<T>(node: Node<T>): readonly T[] {
  const items: T[] = [];
  for (let at = node; at.before !== undefined; at = at.before) items.push(at.item as T);
  return items.reverse();
}
