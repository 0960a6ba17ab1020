import { type NotificationText, statusText } from "./notification-text.ts";
import type { MessageText } from "./plain-text.ts";
import { escapeHtml } from "./sanitise-text.ts";
import { statusColours } from "./status-colours.ts";

const page = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;font-size:15px;color:#1f2328";
const badge = "display:inline-block;padding:2px 8px;border-radius:4px;color:#ffffff;font-weight:600;background:";
const output = "font-family:ui-monospace,Menlo,Consolas,monospace;font-size:13px;white-space:pre-wrap;margin:8px 0";

/** Message as an HTML page without images, scripts and other external content. */
export function formatMailHtml({ subject, notifications }: MessageText): string {
  const single = notifications.length === 1;
  const parts = notifications.map((text) => section(text, single));
  const body = single ? parts.join("") : `<p><strong>${escapeHtml(subject)}</strong></p>${parts.join("<hr>")}`;
  const head = `<meta charset="utf-8"><title>${escapeHtml(subject)}</title>`;
  return `<!DOCTYPE html><html lang="en"><head>${head}</head><body style="${page}">${body}</body></html>`;
}

function section(text: NotificationText, inFull: boolean): string {
  const { status, subject, facts, hint, url } = text;
  const mark = `<span style="${badge}${statusColours[status]}">${statusText(status)}</span>`;
  const lines = [`<p>${mark} <strong>${escapeHtml(subject)}</strong></p>`, preformatted(text.output)];
  if (inFull) lines.push(preformatted(text.longOutput), table(facts), hint && `<p>${escapeHtml(hint)}</p>`);
  if (url !== "") lines.push(`<p><a href="${escapeHtml(url)}" rel="noopener">Open in Realmwatch</a></p>`);
  return lines.join("");
}

const preformatted = (text: string): string => (text === "" ? "" : `<div style="${output}">${escapeHtml(text)}</div>`);

function table(facts: NotificationText["facts"]): string {
  const rows = facts.map(
    ([label, value]) =>
      `<tr><td style="padding-right:12px;color:#57606a;vertical-align:top">${escapeHtml(label)}</td>` +
      `<td style="white-space:pre-wrap">${escapeHtml(value)}</td></tr>`,
  );
  return `<table role="presentation" style="border-collapse:collapse;margin:8px 0">${rows.join("")}</table>`;
}
