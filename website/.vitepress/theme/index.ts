// VitePress's theme in the dashboard's colors, with the reader's own fonts, so no page waits for a font.

import Theme from 'vitepress/theme-without-fonts';
import './style.css';

export default Theme;
