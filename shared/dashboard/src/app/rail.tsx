import { Link } from "@tanstack/react-router";
import { LivePill } from "./live-pill.tsx";
import { BrandIcon } from "./nav-icons.tsx";
import { isNavLinkUsable, navGroups } from "./nav-links.ts";
import { PageLink } from "./page-link.tsx";
import { ServerFacts } from "./server-facts.tsx";
import { RailTools } from "./switches.tsx";
import { useNavAccess } from "./use-nav-access.ts";

/** Navigation rail of wide screens: brand, links to the pages, state of the connection. */
export function Rail() {
  const access = useNavAccess();
  return (
    <header className="rail">
      <Brand />
      <nav aria-label="Pages">
        {navGroups.map((links) => (
          <div key={links[0]?.to} className="nav-group">
            {links
              .filter((link) => isNavLinkUsable(link, access))
              .map((link) => (
                <PageLink key={link.to} link={link} />
              ))}
          </div>
        ))}
      </nav>
      <div className="rail-foot">
        <LivePill />
        <ServerFacts />
        <RailTools />
      </div>
    </header>
  );
}

/** Name of the program; leads to the start page. */
export function Brand() {
  return (
    <Link to="/" className="brand" aria-label="Realmwatch: problems">
      <BrandIcon /> <span>Realmwatch</span>
    </Link>
  );
}
