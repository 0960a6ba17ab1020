import { agentCommand } from "../../local/agent-command.ts";

const url = (help: string) => ({ help, placeholder: "URL" }) as const;
/** Secrets come from files or the environment, because command lines are visible to all users. */
const secretFile = (of: string) => ({ help: `File that holds ${of}.`, placeholder: "PATH" }) as const;

export const notifyTestCliCommand = agentCommand({
  path: "notify test",
  args: ["CONTACT"],
  summary: "Send a notification marked as a test to a contact of a document, without a server.",
  flags: {
    config: { help: "The document that declares the contact.", placeholder: "FILE" },
    comment: { help: "Text of the notification.", placeholder: "TEXT" },
    realm: { help: "Name of the realm in the notification.", placeholder: "NAME" },
    "public-url": url("URL of the dashboard in notifications."),
    "smtp-url": url("SMTP server, which may name a user."),
    "smtp-from": { help: "Sender of mails.", placeholder: "ADDRESS" },
    "smtp-password-file": secretFile("the password of the SMTP user"),
    "messenger-url": url("Base URL of the messenger's bot API."),
    "messenger-token-file": secretFile("the messenger's bot token"),
    "incident-url": url("Base URL of the incident service's API."),
    "incident-token-file": secretFile("the incident service's token"),
    "pager-url": url("Base URL of the paging service's events API."),
  },
  program: "notify-test",
  isFormatted: true,
});
