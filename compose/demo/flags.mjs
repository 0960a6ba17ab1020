import { SetupError } from "../setup/steps.mjs";

/** Ports that the user opens, with their flags and defaults. All other programs of the demo take free ports. */
export const portFlags = {
  port: { port: 8080, what: "the aggregator and its dashboard" },
  "fra-port": { port: 8081, what: "the agent of realm fra" },
  "ams-port": { port: 8082, what: "the agent of realm ams" },
};

export const help = `Usage: npm start -- [flags]
Installs and builds what is missing, then runs two realms and an aggregator on this machine until Ctrl-C.

${Object.entries(portFlags)
  .map(([name, { port, what }]) => ["  ", `--${name} NUMBER`.padEnd(20), what, ` (${port})`].join(""))
  .join("\n")}
  --pair              two agents for realm fra: the active one is killed after a minute, and the other takes over
  --help              this text`;

/**
 * Reads the command line. Rejects an unknown flag or a port outside 1 to 65535 with a SetupError.
 * @returns {{ help: boolean, pair: boolean, ports: Record<keyof typeof portFlags, number> }}
 */
export function readFlags(words) {
  const ports = Object.fromEntries(Object.entries(portFlags).map(([name, { port }]) => [name, port]));
  const rest = words.flatMap((word) => (word.startsWith("-") && word.includes("=") ? split(word) : [word]));
  let pair = false;
  while (rest.length > 0) {
    const word = rest.shift();
    const name = word.replace(/^--?/, "");
    if (name === "help" || name === "h") return { help: true, pair, ports };
    if (word.startsWith("-") && name === "pair") {
      pair = true;
      continue;
    }
    if (!word.startsWith("-") || !(name in ports)) throw new SetupError(`Unknown flag ${word}.\n\n${help}`);
    ports[name] = portOf(name, rest.shift());
  }
  return { help: false, pair, ports };
}

const split = (word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)];

function portOf(name, text) {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new SetupError(`--${name}: want a port from 1 to 65535, got ${text ?? "nothing"}.`);
  return port;
}
