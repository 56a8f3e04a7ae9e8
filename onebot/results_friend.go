package onebot

import (
	"encoding/json"
	"time"

	"github.com/hearth-bot/hearth/onebot/internal/lenient"
)

// FriendCategory is a category in the bot's friend list.
type FriendCategory struct {
	ID      int64    `json:"categoryId"`
	Name    string   `json:"categoryName"`
	Members int64    `json:"categoryMbCount"`
	Online  int64    `json:"onlineCount"` // 0 also if the implementation does not send it
	Friends []Friend `json:"buddyList"`
}

// UnmarshalJSON decodes one element of the result of get_friends_with_category.
func (x *FriendCategory) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// ProfileLikes lists likes of profiles. NapCat sends both lists, LLBot only Favorites.
type ProfileLikes struct {
	Votes     LikeList // users who liked the bot's profile
	Favorites LikeList // users whose profile the bot liked
}

// LikeList is a page of likes.
type LikeList struct {
	Total int64          `json:"total_count"` // total likes; 0 if the implementation does not send it
	New   int64          `json:"new_count"`
	Today int64          `json:"today_count"`
	Next  int64          `json:"-"` // LLBot: start of the next page
	Users []ProfileLiker `json:"userInfos"`
}

// ProfileLiker is a user in a [LikeList].
type ProfileLiker struct {
	UserID   int64     `json:"uin" alt:"user_id"`
	Nickname string    `json:"nick" alt:"nickname"`
	Times    int64     `json:"count"`
	Last     time.Time `json:"latestTime"`
}

// UnmarshalJSON decodes the result of get_profile_like.
func (x *ProfileLikes) UnmarshalJSON(b []byte) error {
	var wire struct {
		Users     []ProfileLiker `json:"users"`
		Next      int64          `json:"nextStart"`
		Votes     LikeList       `json:"voteInfo"`
		Favorites LikeList       `json:"favoriteInfo"`
	}
	if err := lenient.Unmarshal(b, &wire); err != nil {
		return err
	}
	*x = ProfileLikes{Votes: wire.Votes, Favorites: wire.Favorites}
	if wire.Users != nil {
		x.Favorites.Users, x.Favorites.Next = wire.Users, wire.Next
	}
	return nil
}

// DoubtRequest is a friend request that QQ holds back as doubtful.
type DoubtRequest struct {
	Flag      string    `json:"flag"` // for [Bot.SetDoubtFriendsAddRequest]
	UserID    int64     `json:"uin"`
	Nickname  string    `json:"nick"`
	Source    string    `json:"source"` // how the user found the bot
	Reason    string    `json:"reason"` // reason for the doubt
	Comment   string    `json:"msg"`
	GroupCode int64     `json:"group_code"` // the common group
	At        time.Time `json:"time"`
}

// UnmarshalJSON decodes one element of the result of get_doubt_friends_add_request.
func (x *DoubtRequest) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// UINRange is a range of ids, including both ends.
type UINRange struct {
	Min int64 `json:"minUin"`
	Max int64 `json:"maxUin"`
}

// UnmarshalJSON decodes one element of the result of get_robot_uin_range.
func (x *UINRange) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// rkeys decodes the result of get_rkey: NapCat's list, Lagrange's list in an object, or LLBot's two keys.
type rkeys []RKey

func (x *rkeys) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '[' {
		return lenient.Unmarshal(b, x)
	}
	var wire struct {
		List    json.RawMessage `json:"rkeys"`
		Private string          `json:"private_key" alt:"private_rkey"`
		Group   string          `json:"group_key" alt:"group_rkey"`
		Expires time.Time       `json:"expired_time"`
	}
	if err := lenient.Unmarshal(b, &wire); err != nil {
		return err
	}
	if wire.List != nil {
		return lenient.Unmarshal(wire.List, x)
	}
	for _, k := range []RKey{{Type: "private", RKey: wire.Private}, {Type: "group", RKey: wire.Group}} {
		if k.RKey != "" {
			k.Expires = wire.Expires
			*x = append(*x, k)
		}
	}
	return nil
}

// SignedMember is a member who checked in to a group today.
type SignedMember struct {
	UserID   int64     `json:"user_id"`
	Nickname string    `json:"nick"`
	At       time.Time `json:"time"`
	Rank     int64     `json:"rank"` // 1: the first
}

// UnmarshalJSON decodes one element of the result of get_group_signed_list.
func (x *SignedMember) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }

// MutedMember is a muted member of a group.
type MutedMember struct {
	UserID   int64     `json:"uin" alt:"user_id"`
	Nickname string    `json:"nick" alt:"nickname"`
	Card     string    `json:"cardName" alt:"card"`
	Until    time.Time `json:"shutUpTime" alt:"shut_up_time"`
}

// UnmarshalJSON decodes one element of the result of get_group_shut_list.
func (x *MutedMember) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }
