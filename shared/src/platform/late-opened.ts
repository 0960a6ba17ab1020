/** Resource that is opened at its first use. A failure is not kept: the next use opens it again. */
export class LateOpened<T> {
  readonly #open: () => Promise<T>;
  #opened: Promise<T> | undefined;

  constructor(open: () => Promise<T>) {
    this.#open = open;
  }

  /** Rejects with the error of `open`. */
  async get(): Promise<T> {
    this.#opened ??= this.#open();
    const opened = this.#opened;
    try {
      return await opened;
    } catch (error) {
      if (this.#opened === opened) this.#opened = undefined;
      throw error;
    }
  }

  /** Closes the resource, if it was opened. Later uses are not permitted. */
  async close(close: (resource: T) => unknown): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    if (opened !== undefined) await close(opened);
  }
}
