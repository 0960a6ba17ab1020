import { toJson } from "@bufbuild/protobuf";
import { TimestampSchema, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { type CliContext, cliCommand } from "../cli-command.ts";
import { readPasswordFile } from "../connection/password-file.ts";
import { type CliFailure, commandFailed } from "../output/cli-failure.ts";
import { formatLocalTime } from "../output/format-object.ts";
import { printableText } from "../output/printable-text.ts";

const noFolder = "sessions need a configuration directory: set HOME or XDG_CONFIG_HOME";

export const loginCliCommand = cliCommand({
  path: "login",
  args: [],
  summary: "Begin a session at the server with a user name and a password.",
  flags: {
    user: { help: "User name.", placeholder: "NAME", required: true },
    "password-file": {
      help: "File that holds the password; by default it is asked for, or read from stdin.",
      placeholder: "PATH",
    },
  },
  async run({ flags: { user, "password-file": file }, context }) {
    const { server, sessions, clock } = context;
    if (sessions === undefined) return commandFailed(noFolder);
    if (isInClear(server.url))
      context.report(`realmwatch: ${server.url} is not https: the password is sent without encryption`);
    const password = await passwordOf(user, file, context);
    if (!password.ok) return password;
    const answer = await server.login(user, password.value);
    if (!answer.ok) return answer;
    const { name, role, cookie, maxAgeMs } = answer.value;
    const endsMs = clock.now() + maxAgeMs;
    const saved = await sessions.save(server.url, { user: name, cookie, endsMs }, clock.now());
    if (!saved.ok) return commandFailed(`${sessions.path} cannot be written: ${saved.error}`);
    const ends = timestampFromMs(endsMs);
    return ok({
      json: { server: server.url, user: name, role, ends: toJson(TimestampSchema, ends) },
      text: (screen) =>
        `signed in to ${server.url} as ${printableText(name)} (${role}) until ${formatLocalTime(ends, screen)}`,
      ids: [name],
    });
  },
});

export const logoutCliCommand = cliCommand({
  path: "logout",
  args: [],
  summary: "End the session at the server.",
  flags: {},
  async run({ context: { server, sessions, clock } }) {
    if (sessions === undefined) return commandFailed(noFolder);
    const session = await sessions.find(server.url, clock.now());
    if (session === undefined) return ok(done(server.url, `not signed in to ${server.url}`));
    const removed = await sessions.remove(server.url, clock.now());
    const ended = await server.logout(session.cookie);
    if (!removed.ok) return commandFailed(`${sessions.path} cannot be written: ${removed.error}`);
    if (!ended.ok) return ended;
    return ok(done(server.url, `signed out of ${server.url}`));
  },
});

const done = (server: string, text: string) => ({ json: { server }, text: () => text, ids: [] });

async function passwordOf(
  user: string,
  file: string | undefined,
  { readPassword }: Pick<CliContext, "readPassword">,
): Promise<Result<string, CliFailure>> {
  if (file !== undefined) return readPasswordFile(file);
  const password = await readPassword(`Password of ${printableText(user)}: `);
  return password === undefined ? commandFailed("no password was given") : ok(password);
}

/** True for a server that is reached without encryption over a network. */
function isInClear(server: string): boolean {
  const { protocol, hostname } = new URL(server);
  return protocol === "http:" && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
