import { toJson } from "@bufbuild/protobuf";
import { GetConfigResponseSchema } from "@realmwatch/proto/svc/v1/admin_pb";
import { ok } from "@realmwatch/shared/model/result";
import { documentHunks, formatHunk } from "@realmwatch/shared/view/line-diff";
import { cliCommand } from "../../cli-command.ts";
import { printableText } from "../../output/printable-text.ts";
import { type Colour, paint, type Screen } from "../../output/table.ts";
import { readDocumentFile, writeDocumentFile } from "./document-file.ts";

export const getConfigCliCommand = cliCommand({
  path: "config get",
  args: [],
  summary: "Print the document that the server runs on, or write it to a file.",
  flags: { out: { help: "File to write the document to, instead of printing it.", placeholder: "FILE" } },
  async run({ flags: { out }, context }) {
    const answer = await context.server.admin("getConfig", {});
    if (!answer.ok) return answer;
    const { cue, changedOnDisk } = answer.value;
    if (changedOnDisk === true)
      context.report("realmwatch: the server's configuration file has another content, which is not in use");
    const written = out === undefined ? ok(undefined) : await writeDocumentFile(out, cue);
    if (!written.ok) return written;
    return ok({
      json: toJson(GetConfigResponseSchema, answer.value),
      text: () => (out === undefined ? cue : `written to ${out}`),
      ids: [],
    });
  },
});

const colours: Readonly<Record<string, Colour>> = { "-": "red", "+": "green", "@": "cyan" };

/** Formats a line of the diff: safe to print, with its indentation. */
function formatDiffLine(line: string, { colours: isColoured }: Screen): string {
  const [, indent = "", rest = ""] = /^([-+ @]?[ \t]*)(.*)$/s.exec(line) ?? [];
  return paint(indent + printableText(rest), isColoured ? colours[line[0] ?? ""] : undefined);
}

export const diffConfigCliCommand = cliCommand({
  path: "config diff",
  args: ["FILE"],
  summary: "Show the differences between the document that the server runs on and FILE.",
  flags: {},
  async run({ args: [file = ""], context }) {
    const document = await readDocumentFile(file);
    if (!document.ok) return document;
    const served = await context.server.admin("getConfig", {});
    if (!served.ok) return served;
    const lines = documentHunks(served.value.cue, document.value).flatMap(formatHunk);
    const heading = [`--- ${context.server.url}`, `+++ ${file}`];
    return ok({
      json: { differs: lines.length > 0, lines },
      text: (screen) =>
        lines.length === 0
          ? `${file} does not differ from the document of ${context.server.url}`
          : [...heading, ...lines].map((line) => formatDiffLine(line, screen)).join("\n"),
      ids: [],
    });
  },
});
