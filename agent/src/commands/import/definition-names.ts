import { unusedName } from "./imported-document.ts";
import type { SourceNotes } from "./source-notes.ts";

/** Names of definitions, each of which is given once. */
export class DefinitionNames {
  readonly #taken: Record<string, string> = {};
  readonly #comments: SourceNotes["comments"];

  constructor({ comments }: SourceNotes) {
    this.#comments = comments;
  }

  /** Name of a definition like that of something in the sources. */
  nameOf(wish: string): string {
    const plain = wish.replaceAll(/[^A-Za-z0-9]+/g, "_").replaceAll(/^_+|_+$/g, "");
    const start = /^[A-Za-z]/.test(plain) ? `#${plain}` : `#of_${plain}`;
    const name = unusedName(start, this.#taken, (count) => `${start}_${count}`);
    this.#taken[name] = wish;
    return name;
  }

  /** Comment of the template after which a definition is named; no other one with its name has it. */
  commentOf(name: string): string | undefined {
    return this.#comments.get(`templates ${this.#taken[name]}`);
  }
}
