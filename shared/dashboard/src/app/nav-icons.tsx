import type { ReactNode } from "react";

function Icon({ children }: { children: ReactNode }) {
  return (
    <svg className="nav-icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      {children}
    </svg>
  );
}

export const ProblemsIcon = () => (
  <Icon>
    <path d="M8 2 14.5 13.5h-13Z M8 6.5v3.2M8 11.6v.1" />
  </Icon>
);

export const ObjectsIcon = () => (
  <Icon>
    <path d="M2 3.5h2M6.5 3.5H14M2 8h2m2.5 0H14M2 12.5h2m2.5 0H14" />
  </Icon>
);

export const RealmsIcon = () => (
  <Icon>
    <path d="M6 2.5h4v3H6zM1.5 10.5h4v3h-4zM10.5 10.5h4v3h-4zM8 5.5V8M3.5 10.5V8h9v2.5" />
  </Icon>
);

export const HistoryIcon = () => (
  <Icon>
    <path d="M2.2 8a5.8 5.8 0 1 0 1.7-4.1L2 5.5M2 2.3v3.2h3.2M8 5v3.3l2.2 1.4" />
  </Icon>
);

export const ContactsIcon = () => (
  <Icon>
    <path d="M3 11.5h10l-1.2-2V6.6a3.8 3.8 0 0 0-7.6 0v2.9ZM6.7 13.8h2.6" />
  </Icon>
);

export const BrandIcon = () => (
  <svg className="brand-icon" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <rect width="32" height="32" rx="7" />
    <path d="M9 23V9h8a4.5 4.5 0 0 1 0 9H9m8 0 6 5" />
  </svg>
);
