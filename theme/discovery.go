package theme

// Discovery returns the look of a discovery, which is valid or stale.
func Discovery(stale bool) State {
	if stale {
		return State{Warn.Glyph, "stale", Warn.Style}
	}
	return State{Yes.Glyph, "holds", Yes.Style}
}
