import { useState } from "react";
import { later } from "../components/layout/later.tsx";
import { NavIcon } from "./nav-icons.tsx";
import { navLinksOf } from "./nav-links.ts";
import { PageLink } from "./page-link.tsx";
import { ServerFacts } from "./server-facts.tsx";
import { RailTools } from "./switches.tsx";
import { useNavAccess } from "./use-nav-access.ts";

const Sheet = later(async () => (await import("../components/controls/sheet.tsx")).Sheet);

/** Navigation of narrow screens at the lower edge: the pages of every day, and a sheet with all others. */
export function BottomBar() {
  const [open, setOpen] = useState(false);
  const links = navLinksOf(useNavAccess());
  const close = (): void => setOpen(false);
  return (
    <nav className="bottom-bar" aria-label="Pages">
      {links
        .filter(({ inBar }) => inBar)
        .map((link) => (
          <PageLink key={link.to} link={link} />
        ))}
      <button type="button" className="nav-link" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <NavIcon name="more" /> <span>More</span>
      </button>
      {open && (
        <Sheet title="More pages" onClose={close}>
          <nav aria-label="More pages" className="sheet-links">
            {links
              .filter(({ inBar }) => !inBar)
              .map((link) => (
                <PageLink key={link.to} link={link} onClick={close} />
              ))}
          </nav>
          <ServerFacts />
          <RailTools onUse={close} />
        </Sheet>
      )}
    </nav>
  );
}
