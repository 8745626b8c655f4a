package journal

// Append adds a record and waits until it is on the disk. Concurrent callers share one wait.
func (j *Journal) Append(kind string, data any) (seq int64, err error) {
	if seq, err = j.AddRecord(kind, data); err != nil {
		return 0, err
	}
	return seq, j.Sync()
}
