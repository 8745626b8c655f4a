package attach

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// mayEscape reports whether an escape sequence with these intermediate bytes and last byte may pass. It lets
// sequences pass that save the cursor, set the keypad, move by lines or choose charsets.
func (f *filter) mayEscape(between string, last byte) bool {
	switch between {
	case "":
		return strings.IndexByte("78=>DEM", last) >= 0 || f.login && last == 'c' // c is a reset, which the program reset sends
	case "(", ")", "*", "+":
		return true
	}
	return false
}

// Control sequences by prefix, intermediate bytes and last byte. Programs of a login shell may ask
// the terminal questions: they wait for answers, and the visit reads all answers before the
// captain's own programs are back.
const (
	shows = " @ A B C D E F G H I J K L M P S T X Z ` a b d e f g l h m r s u _q ?h ?l >m "
	asks  = " c >c >q "
	login = " n ?n =c ?u >u <u =u $p ?$p !p ?m "
)

// control passes on a control sequence if that is allowed.
func (f *filter) control(last byte) {
	key := strings.TrimLeft(string(f.seq), "<=>?")
	prefix := string(f.seq[:len(f.seq)-len(key)])
	params := strings.TrimRight(key, " !\"#$%&'()*+,-./")
	key = strings.ReplaceAll(prefix+key[len(params):], " ", "_") + string(last)
	if strings.Trim(params, "0123456789;:") != "" {
		return
	}
	may := strings.Contains(shows, " "+key+" ")
	switch {
	case strings.Contains(asks, " "+key+" "):
		may = f.login || f.allowOnce(key)
	case strings.Contains(login, " "+key+" "):
		may = f.login && (key != "n" && key != "?n" || params == "6" || params == "996") // 5 is the question that we ask ourselves: see fence
	case key == "?h", key == "?l", key == "h", key == "l":
		params = f.allowedModes(prefix, params, last == 'h')
		may = params != ""
	case key == ">m":
		may = params == "4" || strings.HasPrefix(params, "4;") // other settings of modified keys cannot be put back
	case key == "g":
		may = false // tab stops can't be put back
	case key == "J":
		may = f.login || !strings.Contains(params, "3") // 3 erases the captain's scrollback
	case key == "b":
		may = len(params) <= 4
	}
	if may {
		f.out = append(append(append(f.out, "\x1b["...), prefix...), params...)
		f.out = append(append(f.out, f.seq[len(f.seq)-(len(key)-len(prefix)-1):]...), last)
	}
}

// allowOnce reports whether tmux may ask this question: tmux asks each of them once, when a terminal is attached.
func (f *filter) allowOnce(what string) bool {
	if f.asked[what] {
		return false
	}
	if f.asked == nil {
		f.asked = map[string]bool{}
	}
	f.asked[what] = true
	return true
}

// Modes that may be set. They are taken back at the end.
var (
	modes      = strings.Fields("4 34")
	privates   = strings.Fields("1 5 7 9 12 25 66 69 1000 1001 1002 1003 1004 1005 1006 1015 1016 2004 2026 2031")
	loginModes = strings.Fields("1048 2048")
)

// allowedModes returns the modes that may be set.
func (f *filter) allowedModes(prefix, params string, on bool) string {
	var kept []string
	for m := range strings.SplitSeq(params, ";") {
		m = strings.TrimLeft(m, "0")
		switch {
		case prefix == "" && slices.Contains(modes, m):
		case prefix == "?" && (slices.Contains(privates, m) || f.login && slices.Contains(loginModes, m)):
		case f.login && prefix == "?" && (m == "47" || m == "1047" || m == "1049"):
			f.switchScreen(on)
		default:
			continue
		}
		kept = append(kept, m)
	}
	return strings.Join(kept, ";")
}

// switchScreen notes which screen is on. Each has key levels of its own.
func (f *filter) switchScreen(on bool) {
	if f.alt && !on {
		f.out = append(f.out, popAll...)
	}
	f.alt = on
}

// maxTitle is how long a title or the address of a link may be.
const maxTitle = 4096

// mayText reports whether a string may pass: titles, links and the cursor's colour. Pictures, and answers that
// contain files of the captain's, use other kinds of strings.
func (f *filter) mayText(kind byte, body []byte) bool {
	if kind == 'P' {
		return f.login && (bytes.HasPrefix(body, []byte("+q")) || bytes.HasPrefix(body, []byte("$q"))) && isPrintable(body)
	}
	if kind != ']' || !isPrintable(body) {
		return false
	}
	number, rest, _ := strings.Cut(string(body), ";")
	asks := strings.Contains(rest, "?")
	switch number {
	case "0", "1", "2":
		return f.login && len(body) <= maxTitle // without a login shell, the title says how to leave
	case "8":
		return len(body) <= maxTitle
	case "12", "112":
		return !asks || f.login
	case "10", "11":
		if asks && !f.login {
			return rest == "?" && f.allowOnce(number)
		}
		fallthrough
	case "4", "104", "110", "111":
		f.colours = f.colours || f.login
		return f.login
	case "52":
		return f.login && !asks
	}
	return false
}

// isPrintable reports whether a string has no control character.
func isPrintable(body []byte) bool {
	for i, r := range string(body) {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == utf8.RuneError && body[i] != 0xef {
			return false
		}
	}
	return true
}
