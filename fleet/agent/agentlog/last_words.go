package agentlog

// LastPart is how much of the end of a log is read for its LastWords, in bytes.
const LastPart = 256 << 10

// maxLastWords bounds the lines that LastWords keeps.
const maxLastWords = 40

// LastWords is what the end of a log says of an agent's work, oldest first; see Before.
type LastWords []string

// Add takes in a line of the log if it reports work.
func (w *LastWords) Add(kind, text string) {
	if text == "" {
		return
	}
	switch kind {
	case "say", "tool", "error", "out":
		*w = append(*w, kind+": "+text)
		*w = (*w)[max(0, len(*w)-maxLastWords):]
	}
}
