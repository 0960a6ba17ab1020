import { useNow } from "../../api/context/app-context.tsx";
import { BannerLine } from "../banners/banner-strip.tsx";
import { useBanners } from "../banners/use-banners.tsx";

/** Time for which one of several banners is shown, ms. */
const turnMs = 6_000;

/** One banner at a time in the strip of the wall mode, where there is no control that opens the others. */
export function WallBanners() {
  const nowMs = useNow();
  const banners = useBanners();
  const shown = banners[Math.floor(nowMs / turnMs) % banners.length];
  return (
    <div className="wall-banners">
      {shown !== undefined && <BannerLine key={shown.id} banner={{ ...shown, action: undefined }} />}
    </div>
  );
}
