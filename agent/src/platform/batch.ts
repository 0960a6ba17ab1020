/** Collects what is added during one turn of the event loop and hands it on in one go: a message costs more than its content. */
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
