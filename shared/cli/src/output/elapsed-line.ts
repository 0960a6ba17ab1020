import { repeat } from "@realmwatch/shared/model/clock";
import type { CliEnvironment } from "../run-cli.ts";

/** Time after which a command without output counts as long, ms. */
const longMs = 3_000;

/**
 * Runs a command that tells each second on a terminal for how long it has worked and how far it is: an import, a
 * simulation, a backup or a change of many objects. Its first output ends the line, and a question stops it until the
 * answer.
 *
 * @param write writes to the terminal
 */
export async function runWithElapsedLine<T>(
  environment: CliEnvironment,
  write: (text: string) => void,
  run: (environment: CliEnvironment) => Promise<T>,
): Promise<T> {
  const { clock, print, printError, confirm, readPassword, runAgent } = environment;
  const startedMs = clock.monotonic();
  let isShown = false;
  let said = "";
  const progress = (text: string): void => {
    said = `: ${text}`;
  };
  const question = openQuestion(progress);
  let cancel = start();

  function start(): () => void {
    return repeat(clock, 1_000, () => {
      const elapsedMs = clock.monotonic() - startedMs;
      if (elapsedMs < longMs) return;
      isShown = true;
      void question.ask();
      // The cursor stays at the beginning: the output of a program of our own replaces the line.
      write(`\u001b[Kstill working after ${Math.floor(elapsedMs / 1_000)} s${said}\r`);
    });
  }
  function end(): void {
    cancel();
    if (isShown) write("\u001b[K");
    isShown = false;
  }
  async function ask<A>(question: () => Promise<A>): Promise<A> {
    end();
    const answer = await question();
    cancel = start();
    return answer;
  }
  try {
    return await run({
      ...environment,
      print: (text) => {
        end();
        print(text);
      },
      printError: (text) => {
        end();
        printError(text);
      },
      confirm: confirm && ((question) => ask(() => confirm(question))),
      readPassword: (question) => ask(() => readPassword(question)),
      runAgent: (order) => runAgent({ ...order, progress }),
      progress,
      followProgress: question.follow,
    });
  } finally {
    end();
    question.close();
  }
}

/** Question of a command about its progress, which is asked again only after the answer. */
function openQuestion(progress: (text: string) => void) {
  const closing = new AbortController();
  let question: ((signal: AbortSignal) => Promise<string>) | undefined;
  let isAsking = false;
  return {
    follow(asked: (signal: AbortSignal) => Promise<string>): void {
      question = asked;
    },
    async ask(): Promise<void> {
      if (question === undefined || isAsking) return;
      isAsking = true;
      const text = await question(closing.signal);
      isAsking = false;
      if (text !== "") progress(text);
    },
    close: (): void => closing.abort(),
  };
}
