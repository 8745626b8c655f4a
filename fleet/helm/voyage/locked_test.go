package voyage

// when makes a condition of the voyage's memory, to wait for.
func when(v *Voyage, ok func() bool) func() bool {
	return func() bool { return reads(v, ok) }
}
