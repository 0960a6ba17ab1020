/** SVG path of each icon. Drawn instead of taken from a font, because fonts lack different symbols. */
const drawings = {
  check: "m3 8.5 3.2 3.2L13 5",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  below: "M4 3v5.5h8.5M9.5 5.5l3 3-3 3",
  wave: "M1.5 8c1.6-5 3.3-5 4.4 0s2.7 5 4.3 0 3-4 4.3-1.5",
  muted: "M6.2 3.2a3.8 3.8 0 0 1 5.6 3.4v2.6l1.2 2.3H7M4.5 6v3.2L3.3 11.5M2 2l12 12M6.8 14h2.4",
  pen: "m3 13 .6-2.8L10.8 3 13 5.2 5.8 12.4Z",
  close: "m4 4 8 8m0-8-8 8",
  auto: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM8 2.5v11M10 3.4v9.2M12 4.8v6.4",
  light:
    "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15M3.05 3.05l1.13 1.13M11.82 11.82l1.13 1.13M3.05 12.95l1.13-1.13M11.82 4.18l1.13-1.13",
  dark: "M13.5 9.8A6 6 0 0 1 6.2 2.5a6 6 0 1 0 7.3 7.3Z",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM10.5 10.5 14 14",
  clock: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM8 5v3.2l2 1.3",
} as const;
export type MarkName = keyof typeof drawings;

export function MarkIcon({ name }: { name: MarkName }) {
  return (
    <svg className="mark-icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={drawings[name]} />
    </svg>
  );
}
