package onebot

import "time"

// A PokeRecall reports a recalled poke. An extension of LLBot. (notice notify, sub_type poke_recall)
type PokeRecall struct {
	Common
	GroupID  int64 `json:"group_id"`  // 0: private chat
	UserID   int64 `json:"user_id"`   // the user who poked
	TargetID int64 `json:"target_id"` // the user who was poked
}

func (e *PokeRecall) conversation() conversation {
	return e.groupOr(e.GroupID, (&Poke{Common: e.Common, UserID: e.UserID, TargetID: e.TargetID}).PeerID())
}

// A ProfileLike reports likes of the bot's profile. An extension of NapCat and LLBot. (notice notify, sub_type
// profile_like)
type ProfileLike struct {
	Common
	UserID   int64  `json:"operator_id" alt:"user_id"` // the user who liked it
	Nickname string `json:"operator_nick"`
	Times    int64  `json:"times"` // number of likes
}

func (e *ProfileLike) conversation() conversation { return e.user(e.UserID) }

// An InputStatus reports that a friend started or stopped typing. An extension of NapCat. (notice notify, sub_type
// input_status)
type InputStatus struct {
	Common
	UserID    int64  `json:"user_id"`
	GroupID   int64  `json:"group_id"`    // 0: NapCat reports it for friends only
	EventType int64  `json:"event_type"`  // 1: typing, 2: stopped
	Text      string `json:"status_text"` // "对方正在输入...", …
}

func (e *InputStatus) conversation() conversation { return e.groupOr(e.GroupID, e.UserID) }

// An OfflineFile is a file sent by a friend. An extension of go-cqhttp and Lagrange; others send a message with a
// file segment. (notice offline_file)
type OfflineFile struct {
	Common
	UserID int64        `json:"user_id"`
	File   UploadedFile `json:"file"`
}

func (e *OfflineFile) conversation() conversation { return e.user(e.UserID) }

// A ClientStatus reports a login or logout of the account on another device. An extension of go-cqhttp. (notice
// client_status)
type ClientStatus struct {
	Common
	Online bool   `json:"online"`
	Client Device `json:"client"`
}

// A Device is another client of the account.
type Device struct {
	AppID int64  `json:"app_id"`
	Name  string `json:"device_name"`
	Kind  string `json:"device_kind"`
}

// A BotOnline reports that the account is logged in to QQ again. An extension of Lagrange. (notice bot_online)
type BotOnline struct {
	Common
	Reason string `json:"reason"`
}

// An OnlineFileSend reports the state of a direct file transfer offered by the bot. An extension of NapCat. (notice
// online_file_send)
type OnlineFileSend struct {
	Common
	SubType string `json:"sub_type"` // "receive": the friend accepted it; "refuse"
	PeerID  int64  `json:"peer_id"`  // the friend
}

func (e *OnlineFileSend) conversation() conversation { return e.user(e.PeerID) }

// An OnlineFileReceive reports the state of a direct file transfer offered by a friend. An extension of NapCat.
// (notice online_file_receive)
type OnlineFileReceive struct {
	Common
	SubType string `json:"sub_type"` // "cancel": the friend withdrew it
	PeerID  int64  `json:"peer_id"`  // the friend
}

func (e *OnlineFileReceive) conversation() conversation { return e.user(e.PeerID) }

// A FlashFile reports the progress of a flash transfer (闪传). An extension of LLBot. (notice flash_file)
type FlashFile struct {
	Common
	SubType   string          `json:"sub_type"` // "downloading", "downloaded", "uploading", "uploaded"
	Title     string          `json:"title"`
	ShareLink string          `json:"share_link"`
	FileSetID string          `json:"file_set_id"`
	Files     []FlashFilePart `json:"files"`
	Done      int64           `json:"downloaded_size" alt:"uploaded_size"` // bytes so far
	Total     int64           `json:"total_size"`                          // total bytes
	Speed     int64           `json:"speed"`                               // bytes per second
	Remaining time.Duration   `json:"remain_seconds"`                      // whole seconds
}

// A FlashFilePart is one file of a flash transfer.
type FlashFilePart struct {
	Name string `json:"name"`
	Size int64  `json:"size"` // in bytes
	Path string `json:"path"` // on the implementation's machine; "" if it is not there
}
