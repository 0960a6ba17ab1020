import type { ReadStream } from "node:tty";

type PasswordTerminal = {
  readonly input: NodeJS.ReadStream | ReadStream;
  /** Prints the question. */
  print(text: string): void;
};

/** Maximum length of a password, characters. */
const maxLength = 65_536;

/**
 * Asks for a password without showing it; without a terminal reads the input to its end, without its line break.
 *
 * @returns undefined when the user gave up with Ctrl+C or Ctrl+D
 */
export function readPassword(question: string, { input, print }: PasswordTerminal): Promise<string | undefined> {
  if (!input.isTTY) return readAll(input);
  // Before the question, because the terminal would show what is typed right after it.
  input.setRawMode(true);
  print(question);
  input.setEncoding("utf8");
  return new Promise((resolve) => {
    let typed: string[] = [];
    input.on("data", take);
    input.resume();

    function take(text: string): void {
      for (const key of text) {
        if (key === "\r" || key === "\n") return end(typed.join(""));
        if (key === keys.interrupt || (key === keys.endOfInput && typed.length === 0)) return end(undefined);
        if (key === keys.delete || key === keys.backspace) typed.pop();
        else if (key === keys.clear) typed = [];
        else if (key >= " ") typed.push(key);
      }
    }
    function end(password: string | undefined): void {
      input.off("data", take);
      input.setRawMode(false);
      input.pause();
      print("\n");
      resolve(password);
    }
  });
}

const keys = { interrupt: "\u0003", endOfInput: "\u0004", backspace: "\b", delete: "\u007f", clear: "\u0015" } as const;

async function readAll(input: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  input.setEncoding("utf8");
  for await (const chunk of input) {
    text += String(chunk);
    if (text.length > maxLength) break;
  }
  return text.replace(/\r?\n$/, "");
}
