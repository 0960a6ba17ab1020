// The theme without its fonts: a reader's own are read as well, and need no transfer.
import theme from "vitepress/theme-without-fonts";
import "./site.css";

export default theme;
