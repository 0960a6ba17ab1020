import { digestFacts, type NotificationText, statusText } from "./notification-text.ts";
import type { MessageText } from "./plain-text.ts";
import { escapeHtml } from "./sanitise-text.ts";
import { statusColours } from "./status-colours.ts";

/** Long words such as paths are broken, so that a mail is not wider than the screen of a phone. */
const breaking = "overflow-wrap:anywhere;word-break:break-word";
const page = [
  "margin:0;padding:16px;font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;font-size:16px",
  `line-height:1.4;color:#1f2328;background:#ffffff;${breaking}`,
].join(";");
const card = "max-width:600px;margin:0 auto";
const badge = "display:inline-block;padding:2px 10px;border-radius:4px;color:#ffffff;font-weight:700;background:";
const title = "margin:8px 0;font-size:20px;line-height:1.3;font-weight:600";
const output = [
  "margin:12px 0;padding:10px 12px;border-radius:4px;background:#f3f4f6",
  `font-family:ui-monospace,Menlo,Consolas,monospace;font-size:14px;white-space:pre-wrap;${breaking}`,
].join(";");
const button =
  "display:inline-block;margin:0 8px 8px 0;padding:12px 18px;border-radius:6px;text-decoration:none;font-weight:600";
const primary = `${button};background:#0b5cad;color:#ffffff;border:1px solid #0b5cad`;
const secondary = `${button};background:#ffffff;color:#0b5cad;border:1px solid #0b5cad`;
const label = "padding:3px 12px 3px 0;color:#57606a;vertical-align:top;white-space:nowrap";
const value = `padding:3px 0;vertical-align:top;white-space:pre-wrap;${breaking}`;

/** Message as an HTML page without images, scripts and other external content. */
export function formatMailHtml({ subject, notifications }: MessageText): string {
  const single = notifications.length === 1;
  const parts = notifications.map((text) => section(text, single));
  const line = `<hr style="border:0;border-top:1px solid #d0d7de;margin:16px 0">`;
  const body = single ? parts.join("") : `<h1 style="${title}">${escapeHtml(subject)}</h1>${line}${parts.join(line)}`;
  const viewport = `<meta name="viewport" content="width=device-width,initial-scale=1">`;
  const head = `<meta charset="utf-8">${viewport}<title>${escapeHtml(subject)}</title>`;
  const main = `<div style="${card}">${body}</div>`;
  return `<!DOCTYPE html><html lang="en"><head>${head}</head><body style="${page}">${main}</body></html>`;
}

function section(text: NotificationText, inFull: boolean): string {
  const { status, subject, headline, facts, hint } = text;
  const mark = `<span style="${badge}${statusColours[status]}">${statusText(status)}</span>`;
  const heading = inFull
    ? `<h1 style="${title}">${escapeHtml(headline)}</h1>`
    : `<strong>${escapeHtml(subject)}</strong>`;
  const lines = [inFull ? `${mark}${heading}` : `<p>${mark} ${heading}</p>`, preformatted(text.output)];
  if (inFull)
    lines.push(links(text), hint && `<p>${escapeHtml(hint)}</p>`, table(facts), preformatted(text.longOutput));
  else lines.push(table(digestFacts(text)), links(text));
  return lines.join("");
}

/** Buttons, large enough for a finger. */
function links({ url, acknowledgeUrl }: NotificationText): string {
  const link = (href: string, text: string, style: string): string =>
    href === "" ? "" : `<a href="${escapeHtml(href)}" rel="noopener" style="${style}">${text}</a>`;
  const both = link(acknowledgeUrl, "Acknowledge", primary) + link(url, "Open in Realmwatch", secondary);
  return both === "" ? "" : `<p style="margin:16px 0 4px">${both}</p>`;
}

const preformatted = (text: string): string => (text === "" ? "" : `<div style="${output}">${escapeHtml(text)}</div>`);

function table(facts: NotificationText["facts"]): string {
  if (facts.length === 0) return "";
  const rows = facts.map(
    ([name, text]) =>
      `<tr><td style="${label}">${escapeHtml(name)}</td><td style="${value}">${escapeHtml(text)}</td></tr>`,
  );
  return `<table role="presentation" style="border-collapse:collapse;margin:12px 0">${rows.join("")}</table>`;
}
