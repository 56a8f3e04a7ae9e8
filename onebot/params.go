package onebot

// params are the parameters of an action, by their names in the protocol.
type params map[string]any

// withParam adds a parameter unless it is zero.
func withParam[T comparable](p params, key string, v T) params {
	var zero T
	if v != zero {
		p[key] = v
	}
	return p
}

// target identifies a group, or a user if groupID is 0.
func target(groupID, userID int64) params {
	if groupID != 0 {
		return params{"group_id": groupID}
	}
	return params{"user_id": userID}
}
