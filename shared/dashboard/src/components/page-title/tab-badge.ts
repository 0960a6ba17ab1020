import type { Status } from "@realmwatch/shared/model/status";

/** Colours of the tab icon, readable on light and dark tabs. Style sheets do not apply to the icon. */
const fills: Readonly<Record<Status, string>> = {
  ok: "#1f6f66",
  pending: "#57687c",
  warning: "#b87700",
  critical: "#c92a35",
  unknown: "#7f4bc4",
  unreachable: "#57687c",
};

/**
 * Draws the number of unhandled problems into the tab icon, in the colour of the most severe one. Without problems the
 * icon is green and has the logo if `worst` is `ok`; else it is not known that there are none, and it has a question mark.
 */
export function drawBadge(page: Document, count: number, worst: Status): void {
  const link = page.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (link === null) return;
  link.href = `data:image/svg+xml,${encodeURIComponent(badge(textOf(count, worst), fills[worst]))}`;
}

/** Text of the icon; empty for the logo. */
function textOf(count: number, worst: Status): string {
  if (count === 0) return worst === "ok" ? "" : "?";
  return count > 99 ? "99+" : String(count);
}

function badge(text: string, fill: string): string {
  const size = text.length === 1 ? 22 : text.length === 2 ? 18 : 13;
  const mark =
    text === ""
      ? '<path d="M9 23V9h8a4.5 4.5 0 0 1 0 9H9m8 0 6 5" fill="none" stroke="#fff" stroke-width="3.2" stroke-linecap="round" stroke-linejoin="round"/>'
      : `<text x="16" y="${16 + size * 0.36}" font-family="sans-serif" font-weight="700" font-size="${size}" text-anchor="middle" fill="#fff">${text}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${fill}"/>${mark}</svg>`;
}
