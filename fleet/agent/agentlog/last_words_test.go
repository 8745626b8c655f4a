package agentlog

import (
	"fmt"
	"testing"
)

func TestLastWords(t *testing.T) {
	var w LastWords
	for i := range 100 {
		w.Add("say", fmt.Sprint(i))
		w.Add("prompt", "not of the agent")
		w.Add("tool", "")
	}
	if len(w) != maxLastWords || w[0] != "say: 60" || w[maxLastWords-1] != "say: 99" {
		t.Errorf("it keeps %q", w)
	}
}
