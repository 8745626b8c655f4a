package attach

import (
	"regexp"
	"strings"
)

// ledger records the settings of a terminal with all features.
type ledger struct {
	modes   map[string]bool
	levels  [2]levelsOfKeys // on the main and on the alternate screen
	titles  int
	set     map[string]bool // other settings that were changed
	foreign string
}

// levelsOfKeys is a stack of key levels, and whether the level below it was changed.
type levelsOfKeys struct {
	pushed  int
	changed bool
}

var (
	modeSeq  = regexp.MustCompile(`^\x1b\[(\??)([\d;]+)([hl])$`)
	aSeq     = regexp.MustCompile(`\x1b\[[<=>?]?[\d;:]*[ -/]*[@-~]|\x1b[\]P_^X][^\x1b\a]*(?:\x1b\\|\a)|\x1b[ -/]*[0-~]|[\x0e\x0f]`)
	windows  = regexp.MustCompile(`^\x1b\[.*[ti]$`) // resizes the window, or prints
	levelSeq = regexp.MustCompile(`^\x1b\[([<=>])([\d;]*)u$`)
	penSeq   = regexp.MustCompile(`^\x1b\[[\d;:]*m$`)
	charset  = regexp.MustCompile(`^\x1b([()*+])(.)$`)
)

// normal are the modes that are set in a fresh terminal.
var normal = map[string]bool{"?7": true, "?25": true}

func ledgerOf(out string) *ledger {
	l := &ledger{modes: map[string]bool{}, set: map[string]bool{}}
	for _, seq := range aSeq.FindAllString(out, -1) {
		l.take(seq)
	}
	return l
}

func (l *ledger) take(seq string) {
	if m := modeSeq.FindStringSubmatch(seq); m != nil {
		l.takeModes(m[1], m[2], m[3] == "h")
		return
	}
	if m := levelSeq.FindStringSubmatch(seq); m != nil {
		l.takeLevel(m[1], m[2])
		return
	}
	if m := charset.FindStringSubmatch(seq); m != nil {
		l.set["charset "+m[1]] = m[2] != "B"
		return
	}
	if kind, text, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(seq, "\x1b]"), "\x1b\\"), ";"); strings.HasPrefix(seq, "\x1b]") {
		l.takeText(kind, text, ok)
		return
	}
	switch {
	case seq == "\x1b[22;0;0t":
		l.titles++
	case seq == title:
		l.titles--
	case seq == "\x1b=", seq == "\x1b>":
		l.set["keypad"] = seq == "\x1b="
	case seq == "\x0e", seq == "\x0f":
		l.set["charset in use"] = seq == "\x0e"
	case seq == "\x1b[>4m":
		l.set["modified keys"] = false
	case seq == "\x1b[>4;0m":
		l.set["modified keys, for who knows only numbers"] = false
	case strings.HasPrefix(seq, "\x1b[>4"):
		l.set["modified keys"], l.set["modified keys, for who knows only numbers"] = true, true
	case strings.HasPrefix(seq, "\x1b[>") && strings.HasSuffix(seq, "m"), seq == "\x1b[3g", seq == "\x1bH", windows.MatchString(seq), seq == "\x1b%@":
		l.foreign = seq
	case penSeq.MatchString(seq):
		l.set["attributes"] = seq != "\x1b[m" && seq != "\x1b[0m"
	case strings.HasSuffix(seq, "r"):
		l.set["margins"] = seq != "\x1b[r"
	}
}

func (l *ledger) takeModes(prefix, modes string, on bool) {
	for mode := range strings.SplitSeq(modes, ";") {
		l.modes[prefix+mode] = on
		if prefix == "?" && (mode == "47" || mode == "1047" || mode == "1049") {
			l.modes["?47"], l.modes["?1047"], l.modes["?1049"] = on, on, on
		}
	}
}

func (l *ledger) takeLevel(how, params string) {
	levels := &l.levels[0]
	if l.modes["?1049"] {
		levels = &l.levels[1]
	}
	switch how {
	case ">":
		levels.pushed++
	case "<":
		levels.pushed = 0
	case "=":
		levels.changed = params != "0" && (levels.changed || levels.pushed == 0)
	}
}

// takeText records a link or a colour.
func (l *ledger) takeText(kind, text string, more bool) {
	switch kind {
	case "8":
		l.set["link"] = text != ";"
	case "4", "10", "11", "12":
		l.set["colour "+kind] = l.set["colour "+kind] || !strings.Contains(text, "?")
	}
	if of := colourOf[kind]; of != "" && !more { // without this entry, or with more, the sequence resets a single colour of the palette
		l.set["colour "+of] = false
	}
}

// colourOf maps each reset sequence to the colour that it resets.
var colourOf = map[string]string{"104": "4", "110": "10", "111": "11", "112": "12"}

// open returns the settings that are still changed.
func (l *ledger) open() string {
	for mode, on := range l.modes {
		if on != normal[mode] && mode != "?12" && mode != "34" && mode != "?1048" { // the modes named here need no reset
			return "mode " + mode
		}
	}
	for what, on := range l.set {
		if on {
			return what
		}
	}
	switch {
	case l.levels != [2]levelsOfKeys{}:
		return "key levels"
	case l.titles != 0:
		return "titles"
	case l.foreign != "":
		return "what can't be taken back: " + l.foreign[1:]
	}
	return ""
}
