package term

import (
	"fmt"
	"strings"
)

var styling = map[string]string{
	"attributes": "\x1b[1mB\x1b[0m\x1b[2mD\x1b[0m\x1b[3mI\x1b[0m\x1b[4mU\x1b[0m\x1b[5mL\x1b[0m\x1b[6mL\x1b[0m\x1b[7mR\x1b[0m\x1b[8mH\x1b[0m\x1b[9mS\x1b[0mN\x1b[53mO\x1b[55mN",
	"sixteen colours": func() string {
		var b strings.Builder
		for i := range 8 {
			fmt.Fprintf(&b, "\x1b[%dma\x1b[%dmb", 30+i, 90+i)
		}
		for i := range 8 {
			fmt.Fprintf(&b, "\x1b[%dma\x1b[%dmb", 40+i, 100+i)
		}
		return b.String()
	}(),
	"palette":                   "\x1b[38;5;196mA\x1b[48;5;21mB\x1b[39mC\x1b[49mD\x1b[38;5;1mE",
	"palette, bad":              "\x1b[31;38;5;256mA\x1b[31;38;5mB\x1b[31;38;5;;1mC\x1b[31;38;7;1mD",
	"true colour":               "\x1b[38;2;10;20;30mA\x1b[48;2;200;100;50mB\x1b[0mC",
	"true colour, bad":          "\x1b[38;2;10;256;30mA\x1b[0m\x1b[38;2;1;3mB\x1b[0m\x1b[38;2mC\x1b[0m\x1b[48;2;;;mD",
	"colons":                    "\x1b[38:2::10:20:30mA\x1b[48:5:21mB\x1b[38:2:1:2:3mC\x1b[38:5mD\x1b[38:2:1:2mE\x1b[48:2::1:2:3:4:5mF\x1b[38:2:::::::::mG",
	"colons, bad":               "\x1b[1:2mA\x1b[4:9mB\x1b[4:mC\x1b[:4mD\x1b[38:5:300mE\x1b[38:5:99999999999mF",
	"underlines":                "\x1b[4:1mA\x1b[4:2mB\x1b[4:3mC\x1b[4:4mD\x1b[4:5mE\x1b[4:0mF\x1b[21mG\x1b[24mH",
	"underline colours":         "\x1b[4m\x1b[58;5;196mA\x1b[59mB\x1b[58:2::1:2:3mC\x1b[58;2;4;5;6mD\x1b[0mE\x1b[4;58;5;300mF",
	"off":                       "\x1b[1;2;3;4;5;7;9mA\x1b[22mB\x1b[23mC\x1b[24mD\x1b[25mE\x1b[27mF\x1b[29mG",
	"empty":                     "\x1b[31mA\x1b[mB\x1b[;1mC\x1b[1;;mD",
	"unknown":                   "\x1b[31;10;11;26;50;73;200mA",
	"colon and number":          "\x1b[4:3;31;58:5:9;1mA",
	"private":                   "\x1b[31m\x1b[>4;2m\x1b[?4mA\x1b[=5mB",
	"on wide ones":              "\x1b[41m日\x1b[1;32m本\x1b[m語",
	"of the padding, overwrite": "\x1b[41m日本\x1b[m\x1b[1;2H\x1b[Xa",
}

var switching = map[string]string{
	"alternate and back":         "main\x1b[?1049h\x1b[2J\x1b[Halt\x1b[?1049lback",
	"alternate":                  "main\r\nfoo\x1b[?1049haltx",
	"alternate 1047":             "main\x1b[?1047halt\x1b[?1047lb",
	"alternate 47":               "main\x1b[?47halt\x1b[?47lb",
	"alternate, twice on":        "main\x1b[?1049halt\x1b[?1049hmore\x1b[?1049lb",
	"alternate, off when off":    "\x1b[5;5Hx\x1b[?1049halt\x1b[?1049l\x1b[9;9Hy\x1b[31m\x1b[?1049lz",
	"alternate, mixed":           "\x1b[5;5Hx\x1b[?47h\x1b[9;9Hy\x1b[?1049lz",
	"alternate, mixed again":     "\x1b[5;5Hx\x1b[?1049h\x1b[9;9Hy\x1b[?47lz",
	"alternate, the cursor":      "\x1b[10;10H\x1b[31m\x1b[?1049h\x1b[1;1Hxx\x1b[32m\x1b[?1049lY",
	"alternate, saved cursor":    "\x1b[5;5H\x1b7\x1b[?1049h\x1b[9;9H\x1b7\x1b[?1049l\x1b8x",
	"alternate, pending":         xs(80) + "\x1b[?1049h\x1b[?1049lz",
	"alternate, region":          full + "\x1b[5;10r\x1b[?1049h\x1b[2;3r\x1b[?1049l\x1b[10;1H\n",
	"alternate, reset":           "main\x1b[?1049halt\x1bcx\x1b[?1049ly",
	"reset":                      "abc\x1b[31m\x1b[5;10r\x1b[?6;7h\x1b[4h\x1b(0\x1b[?25l\x1b[?1002h\x1b7\x1bcX",
	"reset, then restored":       "\x1b[5;5H\x1b[?6h\x1b7\x1bc\x1b[?6l\x1b8x",
	"soft reset, unknown":        "abc\x1b[31m\x1b[!pX",
	"bracketed paste":            "\x1b[?2004ha\x1b[?2004lb",
	"cursor shape":               "\x1b[5 qa\x1b[0 qb\x1b[9 qc\x1b[3 qd",
	"cursor, hidden":             "\x1b[?25la",
	"keys":                       "\x1b[?1h\x1b=a",
	"keys, off":                  "\x1b[?1h\x1b=a\x1b[?1l\x1b>",
	"mouse":                      "\x1b[?1000h\x1b[?1006ha",
	"mouse, the last counts":     "\x1b[?1000h\x1b[?1003h\x1b[?1002h",
	"mouse, off by another":      "\x1b[?1003h\x1b[?1000l",
	"mouse, off by 1001":         "\x1b[?1003h\x1b[?1001h\x1b[?1001l",
	"several modes":              "\x1b[?7;25;2004;1002ha\x1b[?25;1002lb",
	"modes with colons":          "\x1b[?25:1la\x1b[?25:1;7lb",
	"synchronised":               "\x1b[?2026hab\x1b[?2026lc",
	"kitty keys":                 "a\x1b[>1ub\x1b[<uc\x1b[=1;1ud\x1b[?ue",
	"queries":                    "a\x1b[cb\x1b[>cc\x1b[5nd\x1b]11;?\x07e\x1b[>qf\x1b[?2026$pg\x1b[18th",
	"title":                      "a\x1b]0;tit;le\x07b\x1b]2;x\x1b\\c",
	"title, cancelled":           "a\x1b]0;one\x18b\x1b]2;two\x1ac",
	"title, ended by a sequence": "a\x1b]0;one\x1b[31mb",
	"title, with controls":       "a\x1b]0;o\nn\x01e\x1b\\b",
	"title, wide":                "a\x1b]0;日本\x07b",
	"title, bad":                 "a\x1b]0;good\x07b\x1b]0;b\xff\xfead\x07c",
	"title, no semicolon":        "\x1b]2title\x07",
	"title, empty":               "\x1b]2;\x07a",
	"title, other numbers":       "\x1b]1;icon\x07\x1b]02;zero\x07\x1b]7;file:///x\x07\x1b]4;1;red\x07",
	"titles, kept":               "\x1b]2;one\x07\x1b[22;0t\x1b]2;two\x07\x1b[22;2;0t\x1b]2;three\x07\x1b[23;0t",
	"titles, kept and taken":     "\x1b]2;one\x07\x1b[22;0;0t\x1b]2;two\x07\x1b[23;0;0t\x1b[23;0;0t",
	"window operations":          "\x1b]2;one\x07\x1b[8;10;20;22;0t\x1b]2;two\x07\x1b[9;1;23;0t\x1b[3;1;2t\x1b[4t",
}

var parsing = map[string]string{
	"hyperlink":               "a\x1b]8;id=1;http://e.com\x1b\\link\x1b]8;;\x1b\\b",
	"notifications":           "a\a\x1b]9;ocaptain: x\x1b\\b\x1b]777;notify;ocaptain;x\x1b\\c\x1b]99;;ocaptain: x\x1b\\d",
	"clipboard":               "a\x1b]52;c;aGVsbG8=\x07b",
	"DCS":                     "a\x1bPq#0;2\x1b\\b\x1bP1;2|x\x18y\x07z\x1b\\c",
	"DCS, bad":                "a\x1bP:x\x18b\x1bP1<2\x1b\\c\x1bP1$2x\x1b\\d",
	"DCS, with escapes":       "a\x1bPq\x1b[31m\x1b\x1b\\b",
	"DCS, passthrough":        "a\x1bPtmux;\x1b\x1b[31m\x1b\\b",
	"PM and SOS":              "a\x1b^pm\x1b\\b\x1bXsos\x07\x1b\\c",
	"screen title":            "a\x1bktitle\x1b\\b",
	"C1 in UTF-8":             "a\u009b31mb\u0085c",
	"C1 in bytes":             "a\x9b31mb\x85c\x90q\x9c",
	"bad UTF-8":               "a\xff\xfeb\xc3(c\xe2\x82d",
	"bad UTF-8, cut":          "a\xc3\xc3\xa9b\xe2\x82\xe2\x82\xacc",
	"bad UTF-8, overlong":     "a\xc0\xafb\xe0\x80\xafc\xf0\x80\x80\xafd",
	"bad UTF-8, surrogates":   "a\xed\xa0\x80b\xf4\x90\x80\x80c",
	"bad UTF-8, by sequence":  "a\xe2\x1b[31m\x82\xacb",
	"bad UTF-8, by control":   "a\xe2\r\x82\xacb",
	"bad UTF-8, by delete":    "a\xe2\x7f\x82\xacb",
	"null and delete":         "a\x00b\x7fc",
	"controls in a sequence":  "abc\x1b[2\bDx\x1b[3\r\n1mb",
	"delete in a sequence":    "a\x1b[3\x7f1mb\x1b\x7f[32mc",
	"UTF-8 in a sequence":     "a\x1b[3é1mb",
	"cancelled":               "a\x1b[3\x18mb\x1b[3\x1amc",
	"escape in a sequence":    "a\x1b[3\x1b[31mb\x1b\x1b[32mc",
	"intermediates":           "a\x1b[1 mb\x1b[1$mc\x1b[ 1md\x1b[!!!!me",
	"intermediates of ESC":    "a\x1b#3b\x1b%Gc\x1b(Ad\x1b*0e\x1b ((0f\x1b#!!!8g",
	"private in the middle":   "a\x1b[3?1mb\x1b[1;?25lc",
	"private, unknown":        "a\x1b[?123zb\x1b[<5mc\x1b[=1;2d\x1b[>1;2H",
	"numbers, large":          "a\x1b[2147483647Cb\x1b[2147483648Dc\x1b[99999999999999999999Ad",
	"numbers, long":           "a\x1b[000000000000000000000000000000000000000000000000000000000000005Cb",
	"numbers, too long":       "a\x1b[0000000000000000000000000000000000000000000000000000000000000005Cb",
	"parameters, 23":          "a\x1b[1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;31mb",
	"parameters, 24":          "a\x1b[1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;31mb",
	"unknown escapes":         "a\x1bZb\x1bNc\x1bOd\x1b6e\x1b9f\x1bng\x1b|h\x1b~i",
	"unknown sequences":       "a\x1b[5Ib\x1b[5ac\x1b[5ed\x1b[5if\x1b[5^g\x1b[5 @h\x1b['}i",
	"string terminator alone": "a\x1b\\b",
	"unfinished":              "abc\x1b[3",
	"unfinished OSC":          "abc\x1b]2;title",
	"unfinished DCS":          "abc\x1bPq123",
	"bells":                   "a\a\a\x1b]2;t\ab",
}

// resizing returns trials with changes of size.
func resizing() []trial {
	long := strings.Repeat("the quick brown fox jumps over the lazy dog ", 8)
	text := long + "\r\n\r\n" + long + "end\r\nshort\r\n" + strings.Repeat("日本語テキスト", 20)
	many := strings.Repeat("a line of text\r\n", 40)
	to := func(name, first string, sizes ...int) trial {
		tr := trial{name, []chunk{{data: []byte(first)}}}
		for i := 0; i+1 < len(sizes); i += 2 {
			tr.chunks = append(tr.chunks, chunk{sizes[i], sizes[i+1], []byte("*")})
		}
		return tr
	}
	return []trial{
		to("narrower", text, 50, 24),
		to("narrower, and back", text, 50, 24, 80, 24),
		to("wider", text, 120, 24),
		to("wider, and back", text, 120, 24, 80, 24),
		to("very narrow", text, 7, 24),
		to("one column", "abc\r\ndef", 1, 24, 80, 24),
		to("lower", text, 80, 10),
		to("lower and higher", text, 80, 10, 80, 24),
		to("lower, with scrollback", many, 80, 10, 80, 30),
		to("higher, with scrollback", many, 80, 40),
		to("higher, cleared", many+"\x1b[2J\x1b[H", 80, 40),
		to("all at once", many+text, 33, 12, 100, 40, 80, 24),
		to("one row", many, 80, 1, 80, 24),
		to("alternate", text+"\x1b[?1049h"+full, 50, 12, 100, 30),
		to("alternate, then back", text+"\x1b[?1049h"+full, 50, 24),
		{"alternate, back after it", []chunk{
			{data: []byte(text + "\x1b[?1049h" + full)},
			{60, 20, []byte("*\x1b[?1049l+")},
		}},
		{"alternate 47, back after it", []chunk{
			{data: []byte(text + "\x1b[?47h" + full)},
			{60, 20, []byte("*\x1b[?47l+")},
		}},
		to("cursor in the middle", full+"\x1b[5;30H", 20, 24, 80, 24),
		to("pending", xs(80), 40, 24, 80, 24),
		to("region", full+"\x1b[5;10r\x1b[7;7H", 80, 20),
		to("region, width only", full+"\x1b[5;10r\x1b[7;7H", 60, 24),
		to("tabs", "\x1b[3g\x1b[1;5H\x1bH", 60, 24),
		to("painted", "\x1b[44m\x1b[2J\x1b[Hab\x1b[K", 40, 12, 100, 30),
	}
}
