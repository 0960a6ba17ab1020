import { counted } from "@realmwatch/shared/view/plural";
import { type FocusEvent, type KeyboardEvent, useState } from "react";
import { useStartWarnings } from "./start-warnings.tsx";
import { type Banner, useBanners } from "./use-banners.tsx";
import "./banner-strip.css";

/**
 * Banners in a line of the frame that is there with and without them, so that they move nothing. What has no room in it is
 * opened by the button with their number, or by Tab, and lies over the page until Escape or until the focus leaves.
 */
export function BannerStrip() {
  const banners = [...useBanners(), ...useStartWarnings()];
  const [isOpened, setOpened] = useState(false);
  const isOpen = isOpened && banners.length > 0;
  const openForKeys = ({ target }: FocusEvent): void => {
    // A link that is pressed by a pointer must stay below it.
    if (target.matches(":focus-visible:not(.banner-more)")) setOpened(true);
  };
  const closeUnlessInside = ({ currentTarget, relatedTarget }: FocusEvent): void => {
    if (!currentTarget.contains(relatedTarget)) setOpened(false);
  };
  const closeOnEscape = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !isOpen) return;
    event.preventDefault();
    setOpened(false);
    event.currentTarget.querySelector<HTMLElement>(".banner-more")?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it follows the focus of the controls inside it
    <div
      className={isOpen ? "banner-strip is-open" : "banner-strip"}
      onFocus={openForKeys}
      onBlur={closeUnlessInside}
      onKeyDown={closeOnEscape}
    >
      <div className="banner-sheet">
        {/* Screen readers announce new banners only; their texts change with every poll, and are not live. */}
        <div className="banners" role="status" aria-atomic="false" aria-relevant="additions">
          {banners.map((banner) => (
            <BannerLine key={banner.id} banner={banner} />
          ))}
        </div>
        {banners.length > 0 && (
          <button
            type="button"
            className="banner-more"
            aria-expanded={isOpen}
            aria-label={`${counted(banners.length, "warning")} in full`}
            onClick={() => setOpened(!isOpen)}
          >
            {banners.length > 1 && banners.length} <span aria-hidden="true">{isOpen ? "▴" : "▾"}</span>
          </button>
        )}
      </div>
    </div>
  );
}

/** One banner: what is wrong, then the details, which may change with every poll. */
export function BannerLine({ banner: { className, title, text, action } }: { banner: Banner }) {
  return (
    <p className={`banner ${className}`}>
      <span className="banner-line">
        <strong>{title}</strong> <span aria-live="off">{text}</span>
      </span>
      {action}
    </p>
  );
}
