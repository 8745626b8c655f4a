package theme

import (
	"io"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
)

// Output returns a writer that keeps as much style as w's destination can show: none in files, in pipes and on dumb
// terminals, no colours with NO_COLOR, sixteen colours otherwise. CLICOLOR_FORCE keeps colours in pipes. environ has
// the form of os.Environ.
func Output(w io.Writer, environ []string) *colorprofile.Writer {
	return &colorprofile.Writer{Forward: w, Profile: profile(IsTerminal(w), environ)}
}

func profile(terminal bool, environ []string) colorprofile.Profile {
	var force string
	plain := false
	for _, kv := range environ {
		k, v, _ := strings.Cut(kv, "=")
		switch k {
		case "NO_COLOR":
			plain = v != ""
		case "CLICOLOR_FORCE":
			force = v
		}
	}
	forced := force != "" && force != "0"
	switch {
	case !forced && (!terminal || IsDumb(environ)):
		return colorprofile.NoTTY
	case plain:
		return colorprofile.ASCII
	}
	return colorprofile.ANSI
}

// IsDumb reports whether the terminal named in environ shows only lines of text.
func IsDumb(environ []string) bool {
	kind := ""
	for _, kv := range environ {
		if k, v, _ := strings.Cut(kv, "="); k == "TERM" {
			kind = v
		}
	}
	return kind == "" || kind == "dumb"
}

// IsTerminal reports whether w writes to a terminal.
func IsTerminal(w any) bool {
	f, ok := w.(term.File)
	return ok && term.IsTerminal(f.Fd())
}
