/**
 * Collects the items added during one turn of the event loop and passes them to `send` together: for messages between
 * threads and processes, the fixed cost of a message exceeds the cost of its content.
 */
export function openBatch<T>(send: (items: readonly T[]) => void): (item: T) => void {
  let waiting: T[] = [];
  return (item) => {
    waiting.push(item);
    if (waiting.length > 1) return;
    setImmediate(() => {
      const items = waiting;
      waiting = [];
      send(items);
    });
  };
}
