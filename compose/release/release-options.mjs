import { SetupError } from "../setup/steps.mjs";

const usage = [
  "Usage: npm run release -- vX.Y.Z [-sign COMMAND]",
  "  vX.Y.Z         three numbers without leading zeros, such as v1.4.0",
  "  -sign COMMAND  signs SHA256SUMS, whose name is the last word: -sign 'gpg --armor --detach-sign'",
].join("\n");

/** Version without its `v`, and the command that signs, from the words of a release. Throws a SetupError. */
export function releaseOptions(words) {
  const { version, sign } = splitWords(words);
  if (version === undefined) throw new SetupError(`A release lacks its version.\n${usage}`);
  const found = /^v((?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*))$/.exec(version);
  if (found === null) throw new SetupError(`${version} is not a version of a release.\n${usage}`);
  return { version: found[1], sign };
}

function splitWords(words) {
  const rest = [...words];
  const options = {};
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [, value] = /^--?sign(?:=(.*))?$/.exec(word) ?? [];
    if (/^--?sign(=|$)/.test(word)) options.sign = value ?? rest.shift();
    else if (word.startsWith("-") || options.version !== undefined)
      throw new SetupError(`${word} is not known here.\n${usage}`);
    else options.version = word;
    if ("sign" in options && !options.sign) throw new SetupError(`-sign lacks its command.\n${usage}`);
  }
  return options;
}
