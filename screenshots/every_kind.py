"""A thread that holds a message of every kind, for the pictures of the thread."""

from typing import Any

LINE, CUSTOMER = "972737001200", "972521234567"
CONVERSATION = f"{LINE}#{CUSTOMER}"
_DAY = 86_400


def messages(now: float) -> list[dict[str, Any]]:
    """The messages as the platform sends them, newest first; `now` in seconds."""
    at = now - 3 * _DAY
    made: list[dict[str, Any]] = []

    def say(later: float, text: str, initiator: str = "", **more: Any) -> str:
        nonlocal at
        at += later
        outgoing = {"initiator": initiator, "status": "read"} if initiator else {}
        made.append(
            {
                "messageId": f"w{len(made) + 1:03}",
                "createdAt": int(at * 1000),
                "participantsIdentifiers": CONVERSATION,
                "message": text,
                "type": "default",
                "messageDirection": "outgoing" if initiator else "incoming",
                "sender": LINE if initiator else CUSTOMER,
                "receiver": CUSTOMER if initiator else LINE,
                "messagePlatform": "whatsapp",
                **outgoing,
                **more,
            }
        )
        return str(made[-1]["messageId"])

    yael = {"agentIdentification": {"name": "Yael Mizrahi"}}
    buttons = [{"title": "Show me"}, {"title": "Not now"}]
    say(0, "Autumn sale: 20% off everything until Sunday.", "campaign", richContent={"buttons": buttons})
    where = say(3600, "Where is my order? I have been waiting for two weeks and nobody answers the phone.")
    receipt = {"fileName": "receipt-10433.pdf", "fileMimeType": "application/pdf", "fileSize": 187_898}
    say(20, "Here is the receipt", hasAttachment=True, attachment={"type": "document"}, attachmentBase64=receipt)
    orders = [{"title": "10433"}, {"title": "10398"}]
    say(2, "Which order is it?", "bot", richContent={"buttons": orders})
    say(60, "", hasAttachment=True, attachment={"type": "audio", "voice": True, "duration": 47})
    say(9, "The parcel left on Monday. Track it here: https://track.example/p/10433?lang=he", "ai")
    moved = {"type": "informative", "informativeMessageType": "conversationModeSwitched"}
    say(_DAY, "", "bot", **moved)
    sorry = "Hello Dana, this is Yael. I am sorry; the courier brings it today between 16:00 and 18:00."
    thanks = {"reactions": [{"emoji": "👍", "from": CUSTOMER}], "hasReaction": True}
    say(
        120, sorry, "person", context={"from": CUSTOMER, "id": where}, **thanks, **(yael | {"status": "delivered"})
    )
    say(5, "Courier says the address was wrong. Check the flat with her.", "person", **(yael | {"type": "note"}))
    failed = {"status": "failed", "error": {"code": 131026, "title": "Message undeliverable"}}
    say(300, "Which flat number shall I give them?", "person", **(yael | failed))
    english = {"language": "en", "text": "Thank you very much! Flat 12, floor 3. Tomorrow at 09:00 works, too."}
    say(460, "תודה רבה! דירה 12, קומה 3. אפשר גם מחר ב-09:00?", translation=english)
    say(3, "", type="deleted")
    say(3, "See the poll", type="poll")
    say(_DAY - 900, "مرحبا، هل وصل الطلب رقم 10433؟")
    say(20, "How did we do?", "campaign", status="sent")
    say(40, "It arrived, thank you!")
    return made[::-1]
