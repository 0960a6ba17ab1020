/** SVG path of the icon of each page, and of the button with the other pages. */
const drawings = {
  problems: "M8 2 14.5 13.5h-13Z M8 6.5v3.2M8 11.6v.1",
  objects: "M2 3.5h2M6.5 3.5H14M2 8h2m2.5 0H14M2 12.5h2m2.5 0H14",
  overview: "M2 2.5h5v5H2zM9 2.5h5v3H9zM9 8.5h5v5H9zM2 10.5h5v3H2z",
  overdue: "M8 14a6 6 0 1 1 0-12 6 6 0 0 1 0 12ZM8 4.8V8l2.2 1.6",
  muted: "M3 11.5h8.5M4.2 9.5V6.6a3.8 3.8 0 0 1 6.6-2.5M11.8 7v2.5M2 2l12 12",
  views: "M2 3h12L9.5 8.5V13l-3-1.5v-3Z",
  realms: "M6 2.5h4v3H6zM1.5 10.5h4v3h-4zM10.5 10.5h4v3h-4zM8 5.5V8M3.5 10.5V8h9v2.5",
  history: "M2.2 8a5.8 5.8 0 1 0 1.7-4.1L2 5.5M2 2.3v3.2h3.2M8 5v3.3l2.2 1.4",
  handover: "M3 2.5h10v11H3zM5.5 5.5h5M5.5 8h5M5.5 10.5h2.5",
  contacts: "M3 11.5h10l-1.2-2V6.6a3.8 3.8 0 0 0-7.6 0v2.9ZM6.7 13.8h2.6",
  downtimes: "M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2.3v3M10.5 2.3v3M6.7 9v2.5M9.3 9v2.5",
  processes: "M2 2.5h5v3H2zM9 6.5h5v3H9zM9 11h5v3H9zM4.5 5.5v7H9M4.5 8H9",
  more: "M2 4h12M2 8h12M2 12h12",
  serviceLevels: "M2 12.5a6 6 0 1 1 12 0M8 12.5l2.6-4.2M2 12.5h1.4M12.6 12.5H14M8 6.5V7.6",
  reports: "M3.5 1.8h6l3 3v9.4h-9zM9.3 1.8v3.2h3.2M6 11.5V9M8 11.5V7M10 11.5V8.4",
  configuration:
    "M6 2.5c-2 0-2 1-2 2.2C4 6.5 4 8 2 8c2 0 2 1.5 2 3.3 0 1.2 0 2.2 2 2.2M10 2.5c2 0 2 1 2 2.2C12 6.5 12 8 14 8c-2 0-2 1.5-2 3.3 0 1.2 0 2.2-2 2.2",
  audit: "M3.5 1.8h6L12.5 5v3M3.5 1.8v12.4h4M6 6h3.5M6 9h2M8.8 12.2l1.7 1.7 3-3.4",
} as const;

export type NavIconName = keyof typeof drawings;

export const NavIcon = ({ name }: { name: NavIconName }) => (
  <svg className="mark-icon nav-icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <path d={drawings[name]} />
  </svg>
);

export const BrandIcon = () => (
  <svg className="brand-icon" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <rect width="32" height="32" rx="7" />
    <path d="M9 23V9h8a4.5 4.5 0 0 1 0 9H9m8 0 6 5" />
  </svg>
);
