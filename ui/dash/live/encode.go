package live

import (
	"strconv"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/term"
)

// Encode returns what a terminal in these modes sends for a key, nil if terminals send nothing for
// it. The encoding is xterm's without extended key reports, which every tmux understands and
// translates for the program in its window.
func Encode(k tea.Key, m term.Modes) []byte {
	mod := modifiers(k.Mod)
	if k.Text != "" && mod&(ctrl|alt) == 0 {
		return []byte(k.Text)
	}
	if seq, ok := special(k.Code, mod, m); ok {
		return seq
	}
	r := k.Code
	switch {
	case r >= kpFirst && r <= kpLast:
		r = keypad[r]
		if r == 0 {
			return nil
		}
	case r == tea.KeyExtended:
		return escaped([]byte(k.Text), mod)
	case r >= tea.KeyExtended:
		return nil // a key without a sequence, such as media keys and modifiers
	}
	if mod&ctrl != 0 {
		if r > unicode.MaxASCII && k.BaseCode != 0 {
			r = k.BaseCode // the key in the same place, on a keyboard of another script
		}
		if c, ok := control(r); ok {
			return escaped([]byte{c}, mod)
		}
	}
	if mod&shift != 0 {
		if k.ShiftedCode != 0 {
			r = k.ShiftedCode
		} else {
			r = unicode.ToUpper(r)
		}
	}
	if !unicode.IsPrint(r) {
		return nil
	}
	return escaped([]byte(string(r)), mod)
}

// The bits of modifiers in key sequences.
const shift, alt, ctrl = 1, 2, 4

// modifiers returns the modifiers that terminals report.
func modifiers(m tea.KeyMod) int {
	n := 0
	if m&tea.ModShift != 0 {
		n |= shift
	}
	if m&(tea.ModAlt|tea.ModMeta) != 0 {
		n |= alt
	}
	if m&tea.ModCtrl != 0 {
		n |= ctrl
	}
	return n
}

// escaped puts the escape of alt before a key.
func escaped(b []byte, mod int) []byte {
	if mod&alt != 0 {
		return append([]byte{0x1b}, b...)
	}
	return b
}

// control returns the control character of a key.
func control(r rune) (byte, bool) {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '[' && r <= '_':
		return byte(r) & 0x1f, true
	case r >= '3' && r <= '7':
		return byte(r-'3') + 0x1b, true
	}
	switch r {
	case ' ', '@', '2':
		return 0, true
	case '/', '-':
		return 0x1f, true
	case '?', '8':
		return 0x7f, true
	}
	return 0, false
}

// special returns the sequence of a key that is not a character.
func special(code rune, mod int, m term.Modes) ([]byte, bool) {
	switch code {
	case tea.KeyEnter, tea.KeyKpEnter:
		if mod&shift != 0 {
			mod |= alt // agents take alt-enter for a new line, since terminals cannot send shift-enter
		}
		return escaped([]byte{'\r'}, mod), true
	case tea.KeyTab:
		if mod&shift != 0 {
			return escaped([]byte("\x1b[Z"), mod), true
		}
		return escaped([]byte{'\t'}, mod), true
	case tea.KeyBackspace:
		if mod&ctrl != 0 {
			return escaped([]byte{'\b'}, mod), true
		}
		return escaped([]byte{0x7f}, mod), true
	case tea.KeyEscape:
		return escaped([]byte{0x1b}, mod), true
	}
	if code >= tea.KeyF13 && code <= tea.KeyF24 {
		code, mod = code-tea.KeyF13+tea.KeyF1, mod|shift // terminals number F13 as shift-F1, and so on
	}
	s, ok := sequences[code]
	if !ok {
		return nil, false
	}
	switch {
	case s[0] >= '0' && s[0] <= '9' && mod == 0:
		return []byte("\x1b[" + s + "~"), true
	case s[0] >= '0' && s[0] <= '9':
		return []byte("\x1b[" + s + ";" + strconv.Itoa(mod+1) + "~"), true
	case mod != 0:
		return []byte("\x1b[1;" + strconv.Itoa(mod+1) + s), true
	case m.AppCursor || s[0] >= 'P' && s[0] <= 'S':
		return []byte("\x1bO" + s), true
	}
	return []byte("\x1b[" + s), true
}

// sequences maps each key to the number or letter of its sequence.
var sequences = map[rune]string{
	tea.KeyUp: "A", tea.KeyDown: "B", tea.KeyRight: "C", tea.KeyLeft: "D", tea.KeyBegin: "E", tea.KeyEnd: "F", tea.KeyHome: "H",
	tea.KeyKpUp: "A", tea.KeyKpDown: "B", tea.KeyKpRight: "C", tea.KeyKpLeft: "D", tea.KeyKpBegin: "E", tea.KeyKpEnd: "F", tea.KeyKpHome: "H",
	tea.KeyFind: "1", tea.KeyInsert: "2", tea.KeyDelete: "3", tea.KeySelect: "4", tea.KeyPgUp: "5", tea.KeyPgDown: "6",
	tea.KeyKpInsert: "2", tea.KeyKpDelete: "3", tea.KeyKpPgUp: "5", tea.KeyKpPgDown: "6",
	tea.KeyF1: "P", tea.KeyF2: "Q", tea.KeyF3: "R", tea.KeyF4: "S", tea.KeyF5: "15", tea.KeyF6: "17",
	tea.KeyF7: "18", tea.KeyF8: "19", tea.KeyF9: "20", tea.KeyF10: "21", tea.KeyF11: "23", tea.KeyF12: "24",
}

// The range of the keypad's keys that are characters.
const kpFirst, kpLast = tea.KeyKpEqual, tea.KeyKpSep

var keypad = map[rune]rune{
	tea.KeyKpEqual: '=', tea.KeyKpMultiply: '*', tea.KeyKpPlus: '+', tea.KeyKpComma: ',', tea.KeyKpMinus: '-',
	tea.KeyKpDecimal: '.', tea.KeyKpDivide: '/', tea.KeyKpSep: ',',
	tea.KeyKp0: '0', tea.KeyKp1: '1', tea.KeyKp2: '2', tea.KeyKp3: '3', tea.KeyKp4: '4',
	tea.KeyKp5: '5', tea.KeyKp6: '6', tea.KeyKp7: '7', tea.KeyKp8: '8', tea.KeyKp9: '9',
}

// EncodePaste returns what a terminal in these modes sends for pasted text. It drops control
// characters except tabs and line ends, so that no text can end the paste or press a key.
func EncodePaste(text string, m term.Modes) []byte {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.NewReplacer("\r\n", "\r", "\n", "\r").Replace(text)
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' && r != '\r' {
			return -1
		}
		return r
	}, text)
	if m.BracketedPaste {
		text = "\x1b[200~" + text + "\x1b[201~"
	}
	return []byte(text)
}
