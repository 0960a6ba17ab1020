import { useNow } from "../../api/context/app-context.tsx";
import { BannerLine } from "../banners/banner-strip.tsx";
import { useBanners } from "../banners/use-banners.tsx";

/** Time for which one of several banners is shown, ms. */
const turnMs = 6_000;

/** Strip of the wall mode. It shows one banner after the other, because a wall screen has no control that opens a list. */
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
