import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pinnedNode } from "../setup/paths.mjs";

/** Module of each program, with the section of its manual and what `man -k` prints. */
export const programs = {
  realmwatch: { section: 1, module: "shared/cli/dist/main.js", about: "operate realms from the command line" },
  "realmwatch-agent": { section: 8, module: "agent/dist/main.js", about: "check the hosts and services of a realm" },
  "realmwatch-aggregator": { section: 8, module: "aggregator/dist/main.js", about: "show all realms in one view" },
};

/** Places where each shell looks for the completions of packages. */
const completions = {
  bash: "share/bash-completion/completions/realmwatch",
  zsh: "share/zsh/vendor-completions/_realmwatch",
  fish: "share/fish/vendor_completions.d/realmwatch.fish",
};

/** Writes the manuals and completions of the programs, made from what they print about their flags. */
export function writeManuals({ built, product, version, epochSeconds }) {
  for (const [program, { section, module, about }] of Object.entries(programs)) {
    const run = (...words) => execFileSync(pinnedNode, [join(built, module), ...words], { encoding: "utf8", env: {} });
    const pages = helpPages(program === "realmwatch" ? run("help", "-all") : run("-help"));
    const head = { program, section, about, version, day: new Date(epochSeconds * 1000).toISOString().slice(0, 10) };
    write(join(product, `share/man/man${section}/${program}.${section}`), manualOf(head, pages));
    if (program !== "realmwatch") continue;
    for (const [shell, path] of Object.entries(completions)) write(join(product, path), run("completion", shell));
  }
}

/** Help of the program and of each of its commands, which do not repeat the flags that are valid for all. */
const helpPages = (text) =>
  text.split(/^(?=Usage: )/m).map((page) => page.replace(/^Global Options:\n(?: .*\n?)*/m, ""));

/** Manual in the macros of man(7). The first page is that of the program, each further one of a command. */
function manualOf({ program, section, about, version, day }, [first, ...commands]) {
  return [
    `.TH ${program.toUpperCase()} ${section} "${day}" "Realmwatch v${version}"`,
    ".SH NAME",
    `${escapeText(program)} \\- ${about}`,
    ...synopsisOf(first),
    commands.length === 0 ? ".SH OPTIONS" : ".SH DESCRIPTION",
    ...linesOf(first.replace(usage, ""), ".SH"),
    ...(commands.length === 0 ? [] : [".SH COMMANDS IN DETAIL"]),
    ...commands.flatMap((text) => [
      `.SS ${escapeText(/^Usage: (.*)/.exec(text)[1])}`,
      ...linesOf(text.replace(usage, ""), ".PP\n.B"),
    ]),
    ".SH SEE ALSO",
    "/usr/share/doc/realmwatch, and the documentation that the programs serve below /docs/.",
    "",
  ].join("\n");
}

/** The lines of a help text that say how the program is called. */
const usage = /^Usage: .*\n( {7}realmwatch.*\n)*/;

const synopsisOf = (text) => [
  ".SH SYNOPSIS",
  ".nf",
  ...usage
    .exec(text)[0]
    .trimEnd()
    .replace("Usage: ", "")
    .split("\n")
    .map((line) => escapeText(line.trim())),
  ".fi",
];

/** Headings, lists and paragraphs of a help text. */
const linesOf = (text, heading) =>
  text
    .replace(/^\n+/, "")
    .trimEnd()
    .split("\n")
    .flatMap((line) => lineOf(line, heading));

function lineOf(line, heading) {
  const item = /^ {2}(\S.*?)(?: {2,}(\S.*))?$/.exec(line);
  if (item !== null)
    return [".TP", `.B ${escapeText(item[1])}`, ...(item[2] === undefined ? [] : [escapeText(item[2])])];
  if (/^\S.*:$/.test(line)) return [`${heading} ${escapeText(line.slice(0, -1).toUpperCase())}`];
  return line.trim() === "" ? [".PP"] : [escapeText(line.trim())];
}

/** Text in which troff sees no request: no leading dot or quote, and dashes that are typed. */
const escapeText = (text) =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^([.'])/, "\\&$1");

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
