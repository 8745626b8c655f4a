package term

import (
	"fmt"
	"strings"
	"testing"
)

func TestNamedCasesAreAsInTmux(t *testing.T) {
	m := newTmux(t, testCols, testRows)
	var trials []trial
	for _, group := range []map[string]string{printing, moving, erasing, scrolling, styling, switching, parsing} {
		for name, data := range group {
			trials = append(trials, one(name, data))
		}
	}
	trials = append(trials, resizing()...)
	complain(t, m.judge(trials), 0)
}

// full is a screen full of text.
var full = func() string {
	var b strings.Builder
	for i := range testRows {
		fmt.Fprintf(&b, "\x1b[%d;1Hline%02d %s", i+1, i, strings.Repeat(string(rune('a'+i)), 60))
	}
	return b.String()
}()

func xs(n int) string { return strings.Repeat("x", n) }

var printing = map[string]string{
	"plain":                       "hello\r\nworld",
	"wrap":                        xs(200),
	"wrap pending, then return":   xs(80) + "\ry",
	"wrap pending, then up":       "\n" + xs(80) + "\x1b[Az",
	"wrap pending, then down":     xs(80) + "\x1b[Bz",
	"wrap pending, then left":     xs(80) + "\x1b[Dz",
	"wrap pending, then right":    xs(80) + "\x1b[Cz",
	"wrap pending, then erase":    xs(80) + "\x1b[Kz",
	"wrap pending, then delete":   xs(80) + "\x1b[Pz",
	"wrap pending, then insert":   xs(80) + "\x1b[@z",
	"wrap pending, then row":      xs(80) + "\x1b[5dz",
	"wrap pending, saved":         xs(80) + "\x1b7\x1b[H\x1b8z",
	"wrap pending, tab":           xs(80) + "\tz",
	"wrap pending, back tab":      xs(80) + "\x1b[Zz",
	"wrap pending, mark":          xs(80) + "\u0301z",
	"wrap pending, colours":       xs(80) + "\x1b[41mz",
	"no wrap":                     "\x1b[?7l" + xs(85) + "Z",
	"no wrap, wide":               "\x1b[?7l" + xs(79) + "日本",
	"no wrap, wide, fits":         "\x1b[?7l" + xs(78) + "日本",
	"no wrap, set at the end":     xs(80) + "\x1b[?7lZ",
	"no wrap, off again":          "\x1b[?7l" + xs(85) + "\x1b[?7hab",
	"tabs":                        "a\tb\tc\td\r\n\x1b[3g\ta\tb\x1b[1;5H\x1bH\r\tX",
	"tabs, cleared one":           "\x1b[1;9H\x1b[g\r\tX",
	"tabs at the end":             "\x1b[1;78H\t\t\tX",
	"back tabs, and no forward":   "\x1b[1;40H\x1b[2ZX\x1b[2IY",
	"insert mode":                 full + "\x1b[2;8H\x1b[4hINS\x1b[4lREP",
	"insert mode, wide":           full + "\x1b[2;8H\x1b[4h日本\x1b[4l",
	"insert mode at the end":      full + "\x1b[2;79H\x1b[4h日x本y\x1b[4l",
	"insert mode wraps":           full + "\x1b[2;79H\x1b[4habcdef\x1b[4l",
	"line drawing":                "\x1b(0lqqqk\r\nx  x\r\nmqqqj\x1b(B text",
	"line drawing in G1":          "\x1b)0\x0elqk\x0flqk\x0e\x1b)Blqk",
	"line drawing, all":           "\x1b(0 !\"#$%&'()*+,-./0123456789:;<=>?@ABCXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~",
	"line drawing, repeated":      "\x1b(0q\x1b[5b\x1b(Bq",
	"line drawing, saved":         "\x1b(0\x1b7\x1b(B\x1b8q",
	"wide":                        "日本語テキスト" + strings.Repeat("中", 50),
	"wide at the edge":            xs(79) + "日本",
	"wide, first overwritten":     "日本語\x1b[1;1HX",
	"wide, half overwritten":      "日本語\x1b[1;2HX\x1b[1;5HY",
	"wide, half over half":        "日本語\x1b[1;2H中",
	"wide, overwritten by wide":   "ab日本語\x1b[1;4H中\x1b[1;8H国",
	"wide, styled halves":         "\x1b[41m日本語\x1b[42m\x1b[1;2HX\x1b[1;5HY",
	"wide, backspaced":            "日本\b\bZ",
	"wide, deleted half":          "日本語abc\x1b[1;2H\x1b[PX",
	"wide, inserted into":         "日本語abc\x1b[1;2H\x1b[@X",
	"wide, erased half":           "日本語日本語\x1b[1;4H\x1b[K",
	"wide, erased left half":      "日本語日本語\x1b[1;4H\x1b[1K",
	"wide, erased characters":     "日本語日本語\x1b[1;4H\x1b[3X",
	"wide, erased and written on": "日本語日本語\x1b[1;4H\x1b[KX\x1b[1;4HY",
	"combining":                   "e\u0301 o\u0308 n\u0303 a\u0310\u0302b",
	"combining at the edge":       xs(79) + "e\u0301y",
	"combining at the start":      "\u0301a\r\n\u0301b",
	"combining on a wide one":     "日\u0301x",
	"combining after a move":      "abc\x1b[1;2H\u0301",
	"combining on a blank":        "\x1b[1;5H\u0301",
	"combining, too many":         "e" + strings.Repeat("\u0301", 30) + "x",
	"combining on line drawing":   "\x1b(0q\u0301\x1b(Bq",
	"combining and shifted":       "e\u0301o\u0308\x1b[1;1H\x1b[@\x1b[1;1H\x1b[2P",
	"emoji":                       "😀x👍y🎉z",
	"emoji, selected":             "❤️x☀️y",
	"emoji, skin":                 "👍🏽x",
	"emoji, joined":               "👨‍👩‍👧x",
	"emoji, joined to too much":   "👨‍👩‍👧‍👦‍👨‍👩x",
	"emoji, flag":                 "🇩🇪x",
	"Hangul, decomposed":          "\u1112\u1161\u11ab\u1100\u1173x",
	"Devanagari":                  "नमस्ते दुनिया",
	"Arabic and Hebrew":           "مرحبا שלום",
	"Thai":                        "สวัสดี",
	"boxes":                       "┌──┐\r\n│  │\r\n└──┘█▓▒░",
	"ambiguous":                   "±×÷→α§…“”",
	"private use":                 "\ue0b0\uf113\U000f0001x",
	"soft hyphen":                 "a\u00adb",
	"zero width space":            "a\u200bb\ufeffc\u2060d",
	"direction":                   "a\u202eb\u2066c\u200fd",
	"separators":                  "a\u2028b\u2029c\u0085d",
	"repeat":                      "ab\x1b[5bX",
	"repeat, wraps never":         "\x1b[1;75Hab\x1b[99bX",
	"repeat after a move":         "ab\x1b[3C\x1b[5bX",
	"repeat of a wide one":        "日\x1b[5bX",
	"repeat after an unknown one": "ab\x1b[5yc\x1b[?3z\x1b[2bX",
	"repeat, styled":              "a\x1b[31mb\x1b[3b",
}

var moving = map[string]string{
	"position":                     "\x1b[5;5fX\x1b[;5fY\x1b[5fZ",
	"position, far":                "\x1b[999;999Ha\x1b[999Ab\x1b[999Dc\x1b[999Bd",
	"position, zero":               "\x1b[0;0Ha\x1b[0Ab\x1b[0Dc\x1b[0Bd\x1b[0Ce",
	"lines down and up":            "\x1b[5;5H\x1b[2Ea\x1b[3Fb",
	"columns and rows":             "\x1b[5Ga\x1b[5db\x1b[10`c\x1b[3ed\x1b[2ae",
	"up and down in a region":      full + "\x1b[5;10r\x1b[7;3H\x1b[9AX\x1b[7;5H\x1b[9BY",
	"up from below a region":       full + "\x1b[5;10r\x1b[20;3H\x1b[18AX",
	"down from above a region":     full + "\x1b[5;10r\x1b[2;3H\x1b[18BX",
	"up and down around a region":  full + "\x1b[5;10r\x1b[3;3H\x1b[9AX\x1b[20;3H\x1b[9BY",
	"backspace at the start":       "ab\r\n\b\bX",
	"backspace to a wrapped line":  xs(81) + "\b\bY",
	"backspace to a cleared line":  xs(81) + "\x1b[1;1H\x1b[2K\x1b[2;1H\bY",
	"backspace, next line cleared": xs(81) + "\x1b[2;5H\x1b[2K\x1b[2;1H\bY",
	"backspace, pending":           xs(80) + "\b\bY",
	"next line and index":          "abc\x1bDd\x1bEe\x1bMf",
	"vertical tab, form feed":      "abc\x0bd\x0ce",
	"saved cursor":                 "\x1b[5;5H\x1b[31m\x1b7\x1b[1;1H\x1b[0mA\x1b8B",
	"saved cursor, by CSI":         "\x1b[5;5H\x1b[s\x1b[1;1HA\x1b[uB",
	"saved cursor, never saved":    "\x1b[5;5H\x1b[31mA\x1b8B",
	"saved cursor in origin mode":  full + "\x1b[5;10r\x1b[?6h\x1b[2;2H\x1b7\x1b[?6l\x1b8X\x1b[1;1HY",
	"origin mode":                  full + "\x1b[5;10r\x1b[?6h\x1b[1;1HX\x1b[9;1HY\x1b[?6lZ",
	"origin mode, row":             full + "\x1b[5;10r\x1b[?6h\x1b[3dX\x1b[99dY",
	"parameters with colons":       "\x1b[5:5HX\x1b[2:AY\x1b[3:1BZ",
}

var erasing = map[string]string{
	"line":                      full + "\x1b[2;8H\x1b[K\x1b[3;8H\x1b[1K\x1b[4;8H\x1b[2K",
	"line, from the start":      full + "\x1b[2;1H\x1b[K\x1b[3;1H\x1b[1K",
	"line, unknown":             full + "\x1b[2;8H\x1b[3K\x1b[3;8H\x1b[7J",
	"below":                     full + "\x1b[5;8H\x1b[J",
	"below, all":                full + "\x1b[H\x1b[JX",
	"above":                     full + "\x1b[5;8H\x1b[1J",
	"above, at the end":         full + "\x1b[5;80Hx\x1b[1J",
	"all":                       full + "\x1b[5;8H\x1b[2JX",
	"all, in colour":            full + "\x1b[5;8H\x1b[44m\x1b[2JX",
	"scrollback":                full + "\x1b[5;8H\x1b[3J",
	"in colour":                 "\x1b[44m\x1b[K\x1b[2;1H\x1b[41mx\x1b[Jz",
	"in colour, partly":         full + "\x1b[2;8H\x1b[44m\x1b[K\x1b[3;8H\x1b[1K\x1b[4;8H\x1b[48;5;99m\x1b[2K\x1b[5;5H\x1b[48;2;1;2;3m\x1b[3X",
	"in colour, then default":   "\x1b[44m\x1b[K\x1b[1;20H\x1b[49m\x1b[K",
	"in reverse":                "\x1b[7m\x1b[K\x1b[2;1Hx\x1b[3X",
	"in colour, scrolled":       full + "\x1b[42m\r\n\r\nX",
	"in colour, characters":     full + "\x1b[42m\x1b[2;8H\x1b[5@\x1b[3;8H\x1b[5P\x1b[4;8H\x1b[5X\x1b[5;1H\x1b[2L",
	"insert, delete, erase":     full + "\x1b[2;8H\x1b[5@\x1b[3;8H\x1b[5P\x1b[4;8H\x1b[5X",
	"insert, delete, erase all": full + "\x1b[2;8H\x1b[99@\x1b[3;8H\x1b[99P\x1b[4;8H\x1b[99X\x1b[5;1H\x1b[99X",
	"insert at the end":         full + "\x1b[2;80H\x1b[5@\x1b[3;80H\x1b[P\x1b[4;80H\x1b[X\x1b[5;79H\x1b[@",
	"alignment test":            "ab\x1b[5;10r\x1b#8X",
	"rectangles, unknown":       full + "\x1b[88;2;2;5;5$xA",
	"132 columns":               full + "\x1b[42m\x1b[?3hA",
}

var scrolling = map[string]string{
	"region":                        full + "\x1b[5;10r\x1b[10;1H\n\n\nX",
	"region, default":               full + "\x1b[5;10r\x1b[rX\x1b[24;1H\n",
	"region of one line":            full + "\x1b[5;5r\x1b[10;1H\n\n\nX",
	"region, upside down":           full + "\x1b[10;5r\x1b[10;1H\n\n\nX",
	"region, too far":               full + "\x1b[5;99r\x1b[24;1H\n\n\nX",
	"region, reverse":               full + "\x1b[5;10r\x1b[5;1H\x1bM\x1bMX",
	"region, insert lines":          full + "\x1b[5;10r\x1b[6;1H\x1b[2LX",
	"region, insert all":            full + "\x1b[5;10r\x1b[6;1H\x1b[99LX",
	"region, delete lines":          full + "\x1b[5;10r\x1b[6;1H\x1b[2MX",
	"region, delete all":            full + "\x1b[5;10r\x1b[6;1H\x1b[99MX",
	"outside, insert":               full + "\x1b[5;10r\x1b[2;1H\x1b[2LX",
	"outside, insert all":           full + "\x1b[5;10r\x1b[12;1H\x1b[99LX",
	"outside, delete":               full + "\x1b[5;10r\x1b[12;1H\x1b[2MX",
	"outside, delete all":           full + "\x1b[5;10r\x1b[12;1H\x1b[99MX",
	"up and down":                   full + "\x1b[3S\x1b[2T",
	"up and down, far":              full + "\x1b[5;10r\x1b[99S\x1b[1;4r\x1b[99T",
	"up in a region":                full + "\x1b[5;10r\x1b[2S",
	"down, with five parameters":    full + "\x1b[1;1;1;1;1T",
	"long":                          strings.Repeat("line of text\r\n", 60),
	"wraps at the bottom":           "\x1b[24;70H" + strings.Repeat("w", 30),
	"wraps at a region's bottom":    full + "\x1b[5;10r\x1b[10;75H" + strings.Repeat("w", 20),
	"wraps in colour":               full + "\x1b[24;70H\x1b[44m" + strings.Repeat("w", 30),
	"below a region":                full + "\x1b[5;10r\x1b[24;1H\n\nX",
	"reverse above a region":        full + "\x1b[5;10r\x1b[1;1H\x1bM\x1bMX",
	"alternate":                     full + "\x1b[?1049h" + full + "\r\n\r\nX\x1b[5;10r\x1b[10;1H\n\n",
	"alternate, region of two":      "\x1b[?1049h" + full + "\x1b[5;6r\x1b[6;1H\n\x1b[5;1H\x1bM",
	"left and right margins, never": full + "\x1b[?69h\x1b[10;20s\x1b[5;12HX\x1b[?69l",
	"wrapped, then scrolled":        xs(81) + "\x1b[24;1H\n\x1b[1;1H\bY",
}
