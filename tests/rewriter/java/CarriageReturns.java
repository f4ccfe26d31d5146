// Tabs, odd spacing, and text	that must survive /* as it is */
import javacard.framework.*;

public class CarriageReturns extends Applet {
    byte[] memory;

    protected CarriageReturns() {
        memory = new byte[16];
        register();
    }

    public static void install(byte[] array, short offset, byte length) {
        new CarriageReturns();
    }

    public void process(APDU apdu) {
        if (selectingApplet()) {
            return;
        }
        byte[] buffer = apdu.getBuffer();
        short result = run(buffer[ISO7816.OFFSET_P1], buffer[ISO7816.OFFSET_P2]);
        Util.setShort(buffer, (short) 0, result);
        apdu.setOutgoingAndSend((short) 0, (short) 2);
    }

	short run(byte a,byte b)
	{	short x=a	;x++ ;if(a>b)x--;else{x+=2;}
		/* a comment */ x++ /* inside */ ; // behind
  /** doc */	return	(short)	( x	+ memory [ 0 ] ) ;	}

}
