import { Link } from "@tanstack/react-router";
import { useProblemCount } from "../api/status/problem-count.ts";
import { NavIcon } from "./nav-icons.tsx";
import type { NavLink } from "./nav-links.ts";

/** Link of the navigation to a page; that of the problems has their number. */
export function PageLink({ link: { to, label, icon }, onClick }: { link: NavLink; onClick?: () => void }) {
  return (
    <Link
      to={to}
      className="nav-link"
      activeOptions={{ exact: to === "/", includeSearch: false }}
      {...(onClick === undefined ? {} : { onClick })}
    >
      <NavIcon name={icon} /> <span>{label}</span>
      {to === "/" && <NavCount />}
    </Link>
  );
}

function NavCount() {
  const { current, worst } = useProblemCount();
  if (current === 0) return null;
  return (
    <span className="nav-count" data-status={worst}>
      {current}
      <span className="visually-hidden"> unhandled</span>
    </span>
  );
}
