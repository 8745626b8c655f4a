package agentlog

// LastPart is how many bytes at the end of a log are read for LastWords.
const LastPart = 256 << 10

// maxLastWords bounds the lines that LastWords keeps.
const maxLastWords = 40

// LastWords are the last lines of a log about an agent's work, oldest first; see agent.Before.
type LastWords []string

// Add adds a line of the log if it is about work.
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
