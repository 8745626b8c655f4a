package facts

import (
	"testing"
	"time"
)

func TestHindrances(t *testing.T) {
	var h Hindrances
	if h.RetryIn(noon, "1") != 0 || h.Unblock("1") {
		t.Error("work is blocked from the beginning")
	}
	if !h.Block(noon, "1", "your a.go") || h.Block(noon.Add(time.Second), "1", "your b.go") {
		t.Error("it begins twice, or never")
	}
	if is, ok := h.Blocks("1"); !ok || is.Why != "your b.go" || !is.Since.Equal(noon) {
		t.Errorf("blocked by %+v", is)
	}
	if in := h.RetryIn(noon.Add(2*time.Second), "1"); in != 4*time.Second || h.RetryIn(noon, "2") != 0 {
		t.Errorf("retried in %s", in)
	}
	if !h.Unblock("1") {
		t.Error("it was not blocked")
	}
	if _, ok := h.Blocks("1"); ok || h.RetryIn(noon, "1") != 0 {
		t.Error("it is blocked still")
	}
}

func TestRefusals(t *testing.T) {
	var r Refusals
	r.Veto("1@1", "the check failed")
	if r.VetoOf("1@1") != "the check failed" || r.VetoOf("1@2") != "" {
		t.Errorf("%+v", r)
	}
	r.Clash(noon, "1@1", []string{"a"})
	r.Clash(noon.Add(time.Minute), "1@1", []string{"b"})
	if is, ok := r.ClashOf("1@1"); !ok || is.Tries != 2 || !is.Since.Equal(noon) || is.Paths[0] != "b" {
		t.Errorf("%+v", is)
	}
	if _, ok := r.ClashOf("1@2"); ok {
		t.Error("another claim has it")
	}
	r.Clash(noon, "1@2", nil)
	if is, _ := r.ClashOf("1@2"); is.Tries != 1 {
		t.Errorf("another claim counts: %+v", is)
	}
}
